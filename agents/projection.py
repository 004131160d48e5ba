"""From a record of the loop to the event that readers see, and what each audience sees of it."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from functools import singledispatch
from typing import Any

from agents.event_size import cut_messages, cut_text
from agents.events import AgentThought, Audience, QueueEvent
from agents.models.pricing import cost_of
from agents.outcome import SERVICE_CODES, Outcome, RunError, RunStatus
from agents.records import (
    AnswerDelta,
    CallFailed,
    CallFinished,
    Notice,
    PresetAnswer,
    Recalled,
    Record,
    RunStarted,
    ToolFinished,
    ToolStarted,
)
from tools.definition import ToolStatus

# Models may ask for tools of any name; those that exist have at most this many characters.
LONGEST_NAME = 64

TERMINAL_EVENT = {
    RunStatus.NORMAL: QueueEvent.AGENT_END,
    RunStatus.ITERATION_LIMIT: QueueEvent.AGENT_END,
    RunStatus.STOPPED: QueueEvent.STOP,
    RunStatus.TIMEOUT: QueueEvent.TIMEOUT,
    RunStatus.ERROR: QueueEvent.ERROR,
    RunStatus.BUDGET_EXCEEDED: QueueEvent.ERROR,
    RunStatus.INTERRUPTED: QueueEvent.ERROR,
}


@singledispatch
def thought_of(record: Record, task_id: str) -> AgentThought:
    """The full event of a record, as builders see it; `seq` is still to be given."""
    raise TypeError(f"no event for {record!r}")


@thought_of.register
def _(record: RunStarted, task_id: str) -> AgentThought:
    return AgentThought(
        id="start",
        task_id=task_id,
        event=QueueEvent.RUN_STARTED,
        message_id=record.message_id,
        conversation_id=record.conversation_id,
        created_at=datetime.now(UTC),
    )


@thought_of.register
def _(record: Recalled, task_id: str) -> AgentThought:
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.LONG_TERM_MEMORY_RECALL,
        observation=cut_text(record.text),
    )


@thought_of.register
def _(record: AnswerDelta, task_id: str) -> AgentThought:
    return AgentThought.model_construct(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_MESSAGE,
        answer=record.text or None,
        reasoning=record.reasoning or None,
    )


@thought_of.register
def _(record: PresetAnswer, task_id: str) -> AgentThought:
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_MESSAGE,
        code=record.code,
        answer=record.text,
    )


@thought_of.register
def _(record: CallFinished, task_id: str) -> AgentThought:
    usage = record.inference.usage
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_MESSAGE if record.is_answer else QueueEvent.AGENT_THOUGHT,
        code=record.code or None,
        thought=None if record.is_answer else cut_text(record.text),
        total_token_count=usage.input_tokens + usage.output_tokens,
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        confidence=usage.confidence,
        total_price=cost_of(usage, record.model.prices),
        currency=record.model.prices.currency if record.model.prices else None,
        latency=round(record.inference.latency, 3),
        finish_reason=record.inference.finish_reason if record.is_answer else None,
        message=cut_messages(record.new_messages),
    )


@thought_of.register
def _(record: CallFailed, task_id: str) -> AgentThought:
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_THOUGHT,
        code=record.code,
        observation=record.message,
        latency=round(record.latency, 3),
    )


@thought_of.register
def _(record: ToolStarted, task_id: str) -> AgentThought:
    return _action(record, task_id, tool_status=ToolStatus.PENDING)


@thought_of.register
def _(record: ToolFinished, task_id: str) -> AgentThought:
    result = record.result
    return _action(
        record,
        task_id,
        code=result.error.code if result.error else None,
        tool_status=result.status,
        observation=cut_text(result.content),
        latency=round(result.duration, 3),
    )


def _action(record: ToolStarted | ToolFinished, task_id: str, **outcome: Any) -> AgentThought:
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_ACTION,
        tool=record.tool[:LONGEST_NAME],
        tool_source=record.source,
        tool_call_id=record.call_id,
        tool_input=cut_text(record.arguments),
        **outcome,
    )


@thought_of.register
def _(record: Notice, task_id: str) -> AgentThought:
    return AgentThought(
        id=record.step,
        task_id=task_id,
        event=QueueEvent.AGENT_THOUGHT,
        code=record.code,
        observation=record.text,
    )


def end_thought(task_id: str, outcome: Outcome, **totals: object) -> AgentThought:
    """The one terminal event of a run."""
    error = outcome.error
    return AgentThought.model_validate(
        {
            "id": "end",
            "task_id": task_id,
            "event": TERMINAL_EVENT[outcome.status],
            "status": outcome.status,
            "finish_reason": outcome.finish_reason,
            "error": {"code": error.code, "message": error.message, "retryable": error.is_retryable}
            if error
            else None,
            "created_at": datetime.now(UTC),
            **totals,
        }
    )


def for_audience(thought: AgentThought, audience: Audience) -> AgentThought | None:
    """What `audience` sees of an event; None for an event that is not for it.

    System prompts, message stacks, memory and the words of model services never reach an asker, whatever the
    App shows.
    """
    if audience is Audience.BUILDER:
        return thought
    if thought.error:
        return thought.model_copy(update={"error": error_for(thought.error, audience)})
    return _ASKER_VIEWS[audience](thought)


def error_for(stored: Mapping[str, Any], audience: Audience) -> dict[str, Any]:
    """A run's error, as rows and events hold it, in the words for `audience`."""
    error = RunError.from_json(stored)
    return (error if audience is Audience.BUILDER else error.for_asker()).as_json()


# Notices that quote a model service.
_SERVICE_NOTICES = SERVICE_CODES | {"model_retry"}


def _full(thought: AgentThought) -> AgentThought | None:
    if thought.event is QueueEvent.LONG_TERM_MEMORY_RECALL or thought.code in _SERVICE_NOTICES:
        return thought.model_copy(update={"observation": None})
    if thought.message is None and thought.input_tokens is None:
        return thought
    return thought.model_copy(update={"message": None, "input_tokens": None, "output_tokens": None})


_PLAIN_EVENTS = frozenset({QueueEvent.RUN_STARTED, QueueEvent.SNAPSHOT, QueueEvent.PING})
_NAMES_HIDE = dict.fromkeys(
    (
        "thought",
        "observation",
        "tool_input",
        "message",
        "input_tokens",
        "output_tokens",
        "reasoning",
    )
)


def _names(thought: AgentThought) -> AgentThought | None:
    if thought.event.is_terminal or thought.event in _PLAIN_EVENTS:
        return thought
    if thought.event is QueueEvent.AGENT_MESSAGE and not thought.message and not thought.reasoning:
        return thought
    return thought.model_copy(update=_NAMES_HIDE)


_STEP_EVENTS = frozenset(
    {
        QueueEvent.AGENT_ACTION,
        QueueEvent.DATASET_RETRIEVAL,
        QueueEvent.LONG_TERM_MEMORY_RECALL,
        QueueEvent.PERMIT_REQUEST,
    }
)


def _off(thought: AgentThought) -> AgentThought | None:
    """Only answers; an AGENT_THOUGHT stays, bare, because it takes text back."""
    return None if thought.event in _STEP_EVENTS else _names(thought)


_ASKER_VIEWS: dict[Audience, Callable[[AgentThought], AgentThought | None]] = {
    Audience.ASKER_FULL: _full,
    Audience.ASKER_NAMES: _names,
    Audience.ASKER_OFF: _off,
}
