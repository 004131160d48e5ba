"""A run as its rows tell it, for readers whose part of the log is gone."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from agents.events import AgentThought, Audience, QueueEvent
from agents.outcome import FinishReason, Outcome, RunError, RunStatus
from agents.projection import for_audience
from apps.conversations.models import Message, MessageAgentThought
from apps.conversations.steps import thought_of_step
from apps.runs.ending import end_event


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run has come by its rows: everything up to event `seq`, and its end if it has one."""

    status: RunStatus
    seq: int
    steps: tuple[AgentThought, ...]
    answer: str
    reasoning: str
    terminal: AgentThought | None
    message_id: str
    conversation_id: str


def read_progress(task_id: str) -> Progress | None:
    """The run's progress in two statements; None for an unknown task."""
    message = Message.objects.filter(task_id=task_id, is_deleted=False).first()
    if message is None:
        return None
    rows = list(message.thoughts.order_by("position"))
    steps = [thought_of_step(row, task_id) for row in rows]
    status = RunStatus(message.status)
    last_step = max((step.seq for step in steps), default=0)
    if (
        not status.is_final
        and message.last_seq > last_step
        and (message.answer or message.reasoning)
    ):
        steps.append(_unfinished_answer(message, rows, task_id))
    return Progress(
        status=status,
        seq=message.last_seq - 1 if status.is_final else max(message.last_seq, last_step),
        steps=tuple(steps),
        answer=message.answer if status.is_final else _latest_answer(steps),
        reasoning=message.reasoning if status.is_final else "",
        terminal=_terminal(message, task_id) if status.is_final else None,
        message_id=str(message.pk),
        conversation_id=str(message.conversation_id),
    )


def snapshot_of(progress: Progress, task_id: str, audience: Audience) -> AgentThought:
    """One event in place of all up to its `seq`."""
    seen = (for_audience(step, audience) for step in progress.steps)
    return AgentThought(
        id="snapshot",
        task_id=task_id,
        seq=max(progress.seq, 0),
        event=QueueEvent.SNAPSHOT,
        status=progress.status,
        message_id=progress.message_id,
        conversation_id=progress.conversation_id,
        answer=progress.answer or None,
        reasoning=(progress.reasoning or None) if audience in _SEES_REASONING else None,
        steps=[step.model_dump(mode="json", exclude_none=True) for step in seen if step],
    )


_SEES_REASONING = frozenset({Audience.BUILDER, Audience.ASKER_FULL})


def _latest_answer(steps: Sequence[AgentThought]) -> str:
    """The text that stands as the answer now: none while the newest step is no message."""
    newest = steps[-1] if steps else None
    is_message = newest is not None and newest.event is QueueEvent.AGENT_MESSAGE
    return (newest.answer or "") if newest and is_message else ""


def _unfinished_answer(
    message: Message, rows: list[MessageAgentThought], task_id: str
) -> AgentThought:
    """The checkpointed text, under the id that its further deltas will have."""
    calls = sum(row.event_id.startswith("message-") for row in rows)
    return AgentThought(
        id=f"message-{calls + 1}",
        task_id=task_id,
        seq=message.last_seq,
        event=QueueEvent.AGENT_MESSAGE,
        answer=message.answer or None,
        reasoning=message.reasoning or None,
    )


def _terminal(message: Message, task_id: str) -> AgentThought:
    tokens = (message.input_tokens, message.output_tokens)
    return end_event(
        task_id,
        Outcome(
            status=RunStatus(message.status),
            finish_reason=FinishReason(message.finish_reason) if message.finish_reason else None,
            error=RunError.from_json(message.error) if message.error else None,
        ),
        seq=message.last_seq,
        total_token_count=None if None in tokens else sum(t for t in tokens if t is not None),
        input_tokens=message.input_tokens,
        output_tokens=message.output_tokens,
        total_price=message.price if isinstance(message.price, Decimal) else None,
        currency=message.currency or None,
        confidence=message.confidence or None,
        latency=message.latency,
    )
