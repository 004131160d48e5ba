"""Taking a queued Message to run it: at most one run per conversation, in the order of acceptance."""

from uuid import UUID

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Now

from agents.outcome import UNFINISHED, RunStatus
from apps.conversations.models import Message


def claim_message(task_id: str) -> Message | None:
    """The Message with all that assembly reads, now `running`; None when it is not this run's turn.

    SQLite ignores `skip_locked`, so a claim is a guarded UPDATE; the partial unique index has the last word.
    """
    message = (
        Message.objects.select_related("conversation__app", "app_config__model__provider")
        .filter(
            task_id=task_id,
            status=RunStatus.QUEUED,
            is_deleted=False,
            conversation__is_deleted=False,
        )
        .first()
    )
    if message is None or not _take(message):
        return None
    message.status = RunStatus.RUNNING
    return message


def next_in_line(conversation_id: UUID) -> str | None:
    """The task id of the oldest queued turn of a conversation."""
    task_id = (
        Message.objects.filter(conversation_id=conversation_id, status=RunStatus.QUEUED)
        .order_by("created_at", "id")
        .values_list("task_id", flat=True)
        .first()
    )
    return str(task_id) if task_id else None


def _take(message: Message) -> bool:
    earlier = Message.objects.filter(
        conversation_id=OuterRef("conversation_id"),
        status__in=UNFINISHED,
        created_at__lt=message.created_at,
    )
    waiting = Message.objects.filter(pk=message.pk, status=RunStatus.QUEUED).filter(
        ~Exists(earlier)
    )
    try:
        with transaction.atomic():
            taken = waiting.update(
                status=RunStatus.RUNNING,
                started_at=Now(),
                heartbeat_at=Now(),
            )
    except IntegrityError:
        return False
    return taken == 1
