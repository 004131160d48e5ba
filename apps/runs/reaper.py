"""Ends the runs of processes that died, and starts those that were accepted but never began."""

from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from agents.outcome import FinishReason, Outcome, RunError, RunStatus
from apps.conversations.models import Message
from apps.runs.claim import next_in_line
from apps.runs.database import in_database
from apps.runs.ending import end_event, end_row
from apps.runs.home import RunHome
from tools.definition import ToolEffect, ToolStatus

NEVER_BEGAN_AFTER = timedelta(seconds=10)
AT_ONCE = 100
# A dead process may have shown events that neither the log nor a row has. The end is numbered behind all of
# them, so that no reader takes it for something old; what is missing between comes as a snapshot.
SKIPPED_NUMBERS = 10_000

INTERRUPTED = Outcome(
    status=RunStatus.INTERRUPTED,
    finish_reason=FinishReason.ERROR,
    error=RunError(
        code="interrupted",
        message="The server that wrote this answer went away. What was saved of it is kept; ask again to continue.",
        is_retryable=True,
    ),
)


async def reap(home: RunHome) -> None:
    """End what lost its lease, keep its text and steps, wake what waits. Any process may do it, any number."""
    for message in await in_database(find_dead):
        seq = await home.log.last_seq(str(message.task_id))
        seq, following = await in_database(bury, message, seq)
        if seq:
            terminal = end_event(str(message.task_id), INTERRUPTED, seq=seq)
            home.log.append(str(message.task_id), [terminal])
        if following:
            home.submit(following)
    for task_id in await in_database(find_waiting):
        if task_id not in home.running:
            home.submit(task_id)


def find_dead() -> list[Message]:
    lease = timedelta(seconds=settings.RUN_LEASE)
    return list(_running().filter(heartbeat_at__lt=Now() - lease)[:AT_ONCE])


def bury(message: Message, seq: int) -> tuple[int, str | None]:
    """End a dead run behind event `seq`, unless it lives or was ended; (its last seq or 0, who is next)."""
    lease = timedelta(seconds=settings.RUN_LEASE)
    with transaction.atomic():
        steps = message.thoughts.aggregate(last=Max("last_seq"))["last"] or 0
        seq = max(seq, steps, message.last_seq) + SKIPPED_NUMBERS
        guard = Q(heartbeat_at__lt=Now() - lease)
        if not end_row(message, INTERRUPTED, guard=guard, last_seq=seq):
            return 0, None
        message.thoughts.filter(tool_status=ToolStatus.PENDING).update(
            tool_status=ToolStatus.CANCELLED, effect=ToolEffect.UNKNOWN
        )
    return seq, next_in_line(message.conversation_id)


def find_waiting() -> list[str]:
    """Queued runs that nobody holds up and nobody began."""
    busy = _running().filter(conversation=OuterRef("conversation"))
    waiting = Message.objects.filter(
        status=RunStatus.QUEUED, is_deleted=False, created_at__lt=Now() - NEVER_BEGAN_AFTER
    ).filter(~Exists(busy))
    return [str(task_id) for task_id in waiting.values_list("task_id", flat=True)[:AT_ONCE]]


def _running() -> QuerySet[Message]:
    return Message.objects.filter(status=RunStatus.RUNNING)
