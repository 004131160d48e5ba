"""Data lines."""

import pytest

from agents.models.inference import ModelCallError
from agents.models.sse import MAX_LINE, DataLines


def test_many_lines_may_be_longer_than_one_line_may_be() -> None:
    lines = DataLines()
    piece = b"data: " + b"x" * (MAX_LINE // 2)
    payloads = [one for _ in range(5) for part in (piece, b"\n") for one in lines.feed(part)]
    assert len(payloads) == 5


@pytest.mark.parametrize("line_end", [b"", b"\n"], ids=["one line", "many lines"])
def test_endless_text_that_is_no_event_is_refused(line_end: bytes) -> None:
    lines = DataLines()
    piece = b"x" * (MAX_LINE // 3) + line_end
    for _ in range(3):
        lines.feed(piece)
    with pytest.raises(ModelCallError, match=str(MAX_LINE)):
        lines.feed(piece)


def test_text_beside_events_is_no_stray_text() -> None:
    lines = DataLines()
    assert lines.feed(b"hello\nevent: x\n: comment\ndata: 1\nhello\n") == ["1"]
    assert lines.stray == ""


def test_text_without_events_is_kept() -> None:
    lines = DataLines()
    lines.feed(b"<html>\n\nid: 1\n")
    assert lines.rest() is None
    assert lines.stray == "<html>"
