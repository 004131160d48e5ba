"""Property: however the bytes of an answer are cut, it is the same answer."""

import json
from dataclasses import replace
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from agents.models.completion import Completion
from agents.models.inference import Delta, ReasoningDelta, TextDelta
from agents.models.quirks import Quirks
from agents.models.sse import DataLines
from tests.agents.models.asking import SPEC
from tests.fakes.upstream import DONE, chunk, sse, usage

PIECES = st.text(alphabet="abc <>/think😀日\n`\r\0", max_size=8)
TAGS = st.sampled_from(["<think>", "</think>", "<thinking>", "```json", "</", "\r\n", ""])
TEXTS = st.lists(st.one_of(PIECES, TAGS), max_size=8)
ARGUMENTS = st.dictionaries(st.text(max_size=3), st.text(max_size=5), max_size=2)
CUTS = st.lists(st.integers(min_value=0, max_value=4_000), max_size=30)


def read(received: list[bytes]) -> tuple[list[Delta], Completion]:
    lines, completion = DataLines(), Completion(SPEC, Quirks())
    deltas: list[Delta] = []
    for piece in received:
        for payload in lines.feed(piece):
            deltas += completion.take(payload)
    deltas += completion.take_rest(lines.rest(), lines.stray)
    return deltas + completion.flush(), completion


def said(received: list[bytes]) -> Any:
    """Everything that counts about an answer; the deltas added up by kind."""
    deltas, completion = read(received)
    shown = "".join(one.text for one in deltas if isinstance(one, TextDelta))
    thought = "".join(one.text for one in deltas if isinstance(one, ReasoningDelta))
    assert (shown, thought) == (completion.text, completion.reasoning)
    return shown, thought, completion.tool_calls(), completion.usage, completion.finish_reason


def cut(whole: bytes, cuts: list[int]) -> list[bytes]:
    edges = [0, *sorted(min(at, len(whole)) for at in cuts), len(whole)]
    return [whole[start:end] for start, end in zip(edges, edges[1:], strict=False)]


def stream(texts: list[str], arguments: list[str], line_end: bytes) -> bytes:
    opened = {"index": 0, "id": "a", "function": {"name": "weather", "arguments": ""}}
    calls = [opened, *({"index": 0, "function": {"arguments": one}} for one in arguments)]
    chunks = [
        *(chunk({"content": one}) for one in texts),
        *(chunk({"tool_calls": [c]}) for c in calls),
    ]
    chunks += [chunk(finish="tool_calls"), usage(3, 4)]
    return b"".join([*(sse(one) for one in chunks), DONE]).replace(b"\n", line_end)


@settings(deadline=None)
@given(texts=TEXTS, cuts=CUTS, line_end=st.sampled_from([b"\n", b"\r\n", b"\r"]))
def test_any_cut_of_the_bytes_gives_the_same_answer(
    texts: list[str], cuts: list[int], line_end: bytes
) -> None:
    whole = stream(texts, ['{"city": "', 'Lon"}'], line_end)
    assert said(cut(whole, cuts)) == said([whole])


@settings(deadline=None)
@given(text=TEXTS.map("".join), cuts=CUTS)
def test_any_cut_of_the_text_gives_the_same_answer(text: str, cuts: list[int]) -> None:
    edges = [0, *sorted(min(at % 40, len(text)) for at in cuts), len(text)]
    pieces = [text[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    assert said([stream(pieces, [], b"\n")]) == said([stream([text], [], b"\n")])


@settings(deadline=None)
@given(arguments=ARGUMENTS, cuts=CUTS)
def test_any_cut_of_the_arguments_gives_the_same_call(
    arguments: dict[str, str], cuts: list[int]
) -> None:
    written = json.dumps(arguments)
    edges = [0, *sorted(min(at % 40, len(written)) for at in cuts), len(written)]
    pieces = [written[start:end] for start, end in zip(edges, edges[1:], strict=False)]
    deltas, completion = read([stream([], pieces, b"\n")])
    (call,) = completion.tool_calls()
    assert call == replace(call, name="weather", raw_arguments=call.raw_arguments, problem="")
    assert call.arguments == {
        key.replace("\0", ""): value.replace("\0", "") for key, value in arguments.items()
    }
