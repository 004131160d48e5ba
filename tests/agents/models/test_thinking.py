"""Reasoning inside the text."""

import pytest

from agents.models.inference import ReasoningDelta, TextDelta
from agents.models.thinking import ThinkSplitter, ThinkTags

CASES: dict[str, tuple[ThinkTags, str, str, str]] = {
    "a block at the start": (ThinkTags.AUTO, "<think>a</think>b", "a", "b"),
    "after white space": (ThinkTags.AUTO, "\n <think>\na</think>\n\nb", "a", "b"),
    "another spelling": (ThinkTags.AUTO, "<Thinking>a</THINKING>b", "a", "b"),
    "an empty block": (ThinkTags.AUTO, "<think>\n\n</think>\n\nb", "", "b"),
    "a block that never closes": (ThinkTags.AUTO, "<think>a</thin", "a</thin", ""),
    "a tag inside the answer": (ThinkTags.AUTO, "b <think>c</think>", "", "b <think>c</think>"),
    "a comparison": (ThinkTags.AUTO, "<think>a < b</think>c", "a < b", "c"),
    "white space only": (ThinkTags.AUTO, "  \n", "", "  \n"),
    "an unfinished opening": (ThinkTags.AUTO, "<thin", "", "<thin"),
    "text like a tag": (ThinkTags.AUTO, "<thinker>x", "", "<thinker>x"),
    "closing tag only": (ThinkTags.OPEN, "a</think>b", "a", "b"),
    "not looked for": (ThinkTags.OFF, "<think>a</think>b", "", "<think>a</think>b"),
}


@pytest.mark.parametrize("size", [1, 3, 100], ids=["by character", "in threes", "whole"])
@pytest.mark.parametrize(("tags", "text", "reasoning", "answer"), CASES.values(), ids=CASES)
def test_reasoning_is_split_off(
    tags: ThinkTags, text: str, reasoning: str, answer: str, size: int
) -> None:
    splitter = ThinkSplitter(tags)
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    deltas = [delta for piece in pieces for delta in splitter.feed(piece)] + splitter.flush()
    assert "".join(d.text for d in deltas if isinstance(d, ReasoningDelta)) == reasoning
    assert "".join(d.text for d in deltas if isinstance(d, TextDelta)) == answer
