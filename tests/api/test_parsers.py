"""What of JSON is read, and what is refused as a fault of the sender."""

import time

import pytest
from rest_framework.exceptions import ParseError

from apps.api.parsers import parse_json


@pytest.mark.parametrize(
    ("body", "words"),
    [
        pytest.param(b"{", "not valid JSON", id="cut"),
        pytest.param(b"", "not valid JSON", id="empty"),
        pytest.param(b"[" * 100_000, "nested more than 32", id="100k levels"),
        pytest.param(
            b"[" * 100_000 + b"]" * 100_000, "nested more than 32", id="100k closed levels"
        ),
        pytest.param(b'{"a":' * 100_000 + b"1" + b"}" * 100_000, "nested", id="100k objects"),
        pytest.param(b"[" * 33 + b"]" * 33, "nested more than 32", id="one level too many"),
        pytest.param(b'{"a": 1, "a": 2}', "'a' twice", id="same field twice"),
        pytest.param(b'{"a": {"b": 1, "b": 1}}', "'b' twice", id="same inner field twice"),
        pytest.param(b'{"a": NaN}', "NaN is not JSON", id="NaN"),
        pytest.param(b'{"a": -Infinity}', "-Infinity is not JSON", id="infinity"),
        pytest.param(b'{"a": ' + b"1" * 5_000 + b"}", "not valid JSON", id="5,000 digits"),
        pytest.param(b'{"a": "\xff"}', "not UTF-8", id="Latin-1"),
        pytest.param(rb'{"a": "\u0000"}', "NUL", id="NUL in text"),
        pytest.param(rb'{"\u0000": 1}', "NUL", id="NUL in a name"),
        pytest.param(rb'{"a": ["\ud800"]}', "surrogate", id="half a pair"),
        pytest.param(b'"' + rb"\"" * 200_000, "not valid JSON", id="endless string"),
    ],
)
def test_hostile_json_is_refused_with_its_reason_and_fast(body: bytes, words: str) -> None:
    start = time.process_time()
    with pytest.raises(ParseError, match=words):
        parse_json(body)
    assert time.process_time() - start < 0.5


@pytest.mark.parametrize(
    ("body", "value"),
    [
        pytest.param(b"[" * 32 + b"]" * 32, None, id="32 levels"),
        pytest.param(rb'{"a": "[[[\"{{{"}', {"a": '[[["{{{'}, id="brackets in text"),
        pytest.param(rb'{"a": "\ud83d\ude00"}', {"a": "\U0001f600"}, id="whole surrogate pair"),
        pytest.param(rb'{"a": "\\u0000"}', {"a": r"\u0000"}, id="escaped backslash"),
        pytest.param(b'[{"a": 1}, {"a": 2}]', [{"a": 1}, {"a": 2}], id="same field in two objects"),
    ],
)
def test_ordinary_json_is_read(body: bytes, value: object) -> None:
    parsed = parse_json(body)
    assert value is None or parsed == value
