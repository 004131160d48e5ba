"""One sign of life for all runs of a process, with the answers so far; stop marks come back."""

from collections.abc import Sequence

from django.db.models.functions import Now

from agents.outcome import RunStatus
from apps.conversations.models import Message
from apps.runs.database import in_database
from apps.runs.home import Checkpoint, RunHome


async def beat(home: RunHome) -> None:
    """Renew the lease of this process's runs, keep what they have written, end what must not go on."""
    task_ids = list(home.recorders)
    if not task_ids:
        return
    checkpoints = [
        checkpoint for recorder in home.recorders.values() if (checkpoint := recorder.checkpoint())
    ]
    for task_id in await in_database(write_heartbeats, task_ids, checkpoints):
        home.stop(task_id)


def write_heartbeats(task_ids: Sequence[str], checkpoints: Sequence[Checkpoint]) -> list[str]:
    """The task ids that must end: marked to stop, or no longer running by their rows (reaped, deleted).

    Three statements: one for all leases, one for all checkpoints, one for what must end.
    """
    running = Message.objects.filter(task_id__in=task_ids, status=RunStatus.RUNNING)
    running.update(heartbeat_at=Now())
    if checkpoints:
        Message.objects.filter(status=RunStatus.RUNNING).bulk_update(
            [
                Message(
                    pk=point.message_id,
                    answer=point.answer,
                    reasoning=point.reasoning,
                    last_seq=point.seq,
                )
                for point in checkpoints
            ],
            ["answer", "reasoning", "last_seq"],
        )
    unmarked = running.filter(stop_requested_at=None).values_list("task_id", flat=True)
    return sorted(set(task_ids) - {str(task_id) for task_id in unmarked})
