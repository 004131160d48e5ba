"""Arguments of tool calls."""

import json

import pytest

from agents.models.arguments import read_arguments

CASES = {
    "as it came": ('{"a":  1}', {"a": 1}, '{"a":  1}'),
    "a literal line break": ('{"a": "x\ny"}', {"a": "x\ny"}, '{"a": "x\\ny"}'),
    "an escaped NUL": ('{"a\\u0000": ["x\\u0000y"]}', {"a": ["xy"]}, '{"a": ["xy"]}'),
    "an escaped lone surrogate": ('{"a": "\\ud83d"}', {"a": "\ufffd"}, '{"a": "\ufffd"}'),
    "null": (" null ", {}, "{}"),
    "nothing": ("", {}, "{}"),
    "double-encoded nothing": ('""', {}, "{}"),
    "double-encoded": (r'"{\"a\": 1}"', {"a": 1}, '{"a": 1}'),
}


@pytest.mark.parametrize(("text", "content", "written"), CASES.values(), ids=CASES)
def test_an_object_is_strict_json_that_can_be_stored(
    text: str, content: object, written: str
) -> None:
    arguments = read_arguments(text)
    assert (arguments.content, arguments.text, arguments.problem) == (content, written, "")
    assert json.loads(arguments.text) == content


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": ', "not valid JSON"),
        ('{"a": 1,}', "not valid JSON"),
        ("[1]", "an array"),
        ("3", "a number"),
        ("true", "true or false"),
        (json.dumps(json.dumps(json.dumps({"a": 1}))), "a string"),
        ('{"a": Infinity}', "Infinity is not JSON"),
        ('{"a":' * 100_000, "not valid JSON"),
    ],
    ids=["cut", "comma", "array", "number", "truth", "encoded twice", "infinity", "deep"],
)
def test_nothing_is_repaired(text: str, words: str) -> None:
    arguments = read_arguments(text)
    assert (arguments.content, arguments.text) == (None, text)
    assert words in arguments.problem
