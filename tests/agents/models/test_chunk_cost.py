"""The cost of a chunk does not grow with the answer."""

import sys
from types import FrameType
from typing import Any

import pytest

from agents.models.completion import Completion
from agents.models.quirks import Quirks
from agents.models.sse import DataLines
from tests.agents.models.asking import SPEC
from tests.fakes.upstream import Body, chunk, sse


def text_chunk(number: int) -> Body:
    return chunk({"content": f"word{number % 10} "})


def thought_chunk(number: int) -> Body:
    return chunk({"content": "<think>" if number == 0 else f"a<b{number % 10}"})


def argument_chunk(number: int) -> Body:
    piece = '{"a": "' if number == 0 else f"}}{number % 10}"
    return chunk({"tool_calls": [{"index": 0, "function": {"name": "write", "arguments": piece}}]})


def count_calls(chunks: int, make: Any, *, piece: int) -> tuple[int, int]:
    """Function calls, and characters that they were handed, to read so many chunks."""
    whole = b"".join(sse(make(number)) for number in range(chunks))
    lines, completion = DataLines(), Completion(SPEC, Quirks())
    counts = [0, 0]

    def count(frame: FrameType, event: str, _argument: Any) -> None:
        if event == "call":
            counts[0] += 1
            counts[1] += sum(
                len(value) for value in frame.f_locals.values() if isinstance(value, str | bytes)
            )

    sys.setprofile(count)
    try:
        for start in range(0, len(whole), piece):
            for payload in lines.feed(whole[start : start + piece]):
                completion.take(payload)
    finally:
        sys.setprofile(None)
    return counts[0], counts[1]


@pytest.mark.parametrize(
    ("make", "piece"),
    [(text_chunk, 400), (text_chunk, 40), (thought_chunk, 400), (argument_chunk, 400)],
    ids=["text", "text in small pieces", "thoughts", "arguments with the name in every chunk"],
)
def test_twenty_thousand_chunks_cost_ten_times_two_thousand(make: Any, piece: int) -> None:
    few_calls, few_characters = count_calls(2_000, make, piece=piece)
    many_calls, many_characters = count_calls(20_000, make, piece=piece)
    assert 9.9 < many_calls / few_calls < 10.1
    assert 9.9 < many_characters / few_characters < 10.1
