"""The one way in which a run ends: a guarded UPDATE of its row; its event follows the commit."""

from typing import Any

from django.db.models import Q
from django.db.models.functions import Now

from agents.events import AgentThought
from agents.outcome import UNFINISHED, Outcome
from agents.projection import end_thought
from apps.conversations.models import Message


def end_row(message: Message, outcome: Outcome, *, guard: Q | None = None, **columns: Any) -> bool:
    """Make the row terminal, once. False when it already was, or when `guard` no longer holds."""
    unfinished = Message.objects.filter(pk=message.pk, status__in=UNFINISHED).filter(guard or Q())
    return (
        unfinished.update(
            status=outcome.status,
            finish_reason=outcome.finish_reason or "",
            error=outcome.error.as_json() if outcome.error else None,
            ended_at=Now(),
            **columns,
        )
        == 1
    )


def end_event(task_id: str, outcome: Outcome, *, seq: int, **totals: Any) -> AgentThought:
    """The terminal event that tells a row's end."""
    thought = end_thought(task_id, outcome, **totals)
    thought.seq = seq
    return thought
