"""No event is larger than a frame may be; what is cut keeps its beginning and says so."""

from decimal import Decimal
from typing import Any

import pytest

from agents.event_size import LARGEST_EVENT, cut_messages, cut_text, size_of
from agents.models.inference import Inference, ModelSpec, UnitPrices, Usage
from agents.outcome import FinishReason
from agents.projection import thought_of
from agents.records import CallFinished, Recalled, Record, ToolFinished, ToolStarted
from tools.definition import ToolResult, ToolSource, ToolStatus

TEXTS = {
    "ascii": "a" * 1_000_000,
    "Chinese": "汉" * 1_000_000,
    "emoji": "🙂" * 500_000,
    "quotes": '"' * 1_000_000,
    "control": "\x01" * 1_000_000,
}


def tool_started(text: str) -> Record:
    return ToolStarted(
        step="action-1", call_id="c" * 64, tool=text, source=ToolSource.BUILTIN, arguments=text
    )


def tool_finished(text: str) -> Record:
    return ToolFinished(
        step="action-1",
        call_id="c" * 64,
        tool=text,
        source=ToolSource.BUILTIN,
        arguments=text,
        result=ToolResult(status=ToolStatus.SUCCESS, content=text),
    )


def call_finished(text: str, *messages: dict[str, Any]) -> Record:
    return CallFinished(
        step="message-1",
        model=ModelSpec(
            kind="demo",
            name="demo",
            label="demo",
            prices=UnitPrices(input=Decimal(1), output=Decimal(1)),
        ),
        inference=Inference(
            text=text,
            reasoning="",
            tool_calls=(),
            finish_reason=FinishReason.STOP,
            usage=Usage(input_tokens=1, output_tokens=1),
            latency=0.0,
            first_token_latency=None,
        ),
        text=text,
        is_answer=False,
        calls=(),
        system_prompt="",
        new_messages=messages or [{"role": "user", "content": text}] * 20,
    )


def recalled(text: str) -> Record:
    return Recalled(step="recall-1", text=text)


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
@pytest.mark.parametrize("make", [tool_started, tool_finished, call_finished, recalled])
def test_an_event_fits_into_a_frame_whatever_its_record_holds(make: Any, text: str) -> None:
    size = len(thought_of(make(text), "t" * 36).as_json().encode())
    assert LARGEST_EVENT // 3 < size <= LARGEST_EVENT


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_a_cut_text_keeps_as_much_of_its_start_as_fits(text: str) -> None:
    start, note = cut_text(text, 5_000).split("\n… (")
    assert text.startswith(start)
    assert note == f"{len(text) - len(start)} more characters in the step)"
    assert 4_900 < size_of(cut_text(text, 5_000)) <= 5_000


@pytest.mark.parametrize("text", ["", "a" * 4_998, "汉" * 1_666, '"' * 2_499])
def test_a_text_that_fits_stays_as_it_is(text: str) -> None:
    assert cut_text(text, 5_000) == text


def test_messages_that_fit_stay_beside_one_that_is_cut() -> None:
    small = {"role": "user", "content": "Hello?"}
    result = {"role": "tool", "tool_call_id": "c1", "content": "x" * 9_000}
    kept, cut = cut_messages([small, result], 5_000)
    assert kept == small
    assert (cut["role"], cut["tool_call_id"]) == ("tool", "c1")
    assert cut["content"].startswith("xxx")
    assert size_of([kept, cut]) <= 5_000


def test_calls_too_large_for_an_event_are_told_as_text() -> None:
    call = {"id": "c1", "function": {"name": "calculator", "arguments": "9" * 9_000}}
    (cut,) = cut_messages([{"role": "assistant", "content": "So:", "tool_calls": [call]}], 5_000)
    assert cut.keys() == {"role", "content"}
    assert '"name": "calculator"' in cut["content"]
