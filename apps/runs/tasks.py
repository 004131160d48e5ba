"""Celery tasks of runs. They carry ids and only wake what the rows owe; each is safe to repeat."""

from celery import shared_task

from apps.runs.duties import due_summaries, due_titles
from apps.runs.summaries import summarise_conversation
from apps.runs.titles import title_conversation
from apps.runs.worker_loop import run_on_worker_loop


@shared_task
def execute_run(task_id: str) -> None:
    """Execute a run on this worker's event loop and wait for its end."""
    run_on_worker_loop(task_id)


@shared_task
def write_conversation_title(conversation_id: str) -> None:
    """Name a conversation that has no name."""
    title_conversation(conversation_id)


@shared_task
def write_conversation_summary(conversation_id: str) -> None:
    """Bring the summary of a conversation up to its newest turn."""
    summarise_conversation(conversation_id)


@shared_task
def sweep_duties() -> None:
    """Send every duty that the rows still owe; catches what a lost broker forgot."""
    for conversation_id in due_titles():
        write_conversation_title.delay(str(conversation_id))
    for conversation_id in due_summaries():
        write_conversation_summary.delay(str(conversation_id))
