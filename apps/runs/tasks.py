"""Celery tasks of runs. They carry ids and only wake what the rows owe; each is safe to repeat."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from apps.conversations.models import Message
from apps.runs.duties import due_summaries, due_titles
from apps.runs.summaries import summarise_conversation
from apps.runs.titles import title_conversation
from apps.runs.worker_loop import run_on_worker_loop

logger = logging.getLogger(__name__)


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


def dispatch_run(task_id: str) -> None:
    """Hand a run to the workers. If the broker is down, the reaper sends it again when it is back."""
    try:
        execute_run.delay(task_id)
    except OperationalError as error:
        logger.warning("Run %s waits for the broker: %s", task_id, error)


def wake_duties(message: Message) -> None:
    """After the end of a turn was committed: send what it owes; what gets lost, the sweep finds."""
    try:
        if not message.conversation.title and message.parent_id is None:
            write_conversation_title.delay(str(message.conversation_id))
        if message.app_config and message.app_config.long_term_memory:
            write_conversation_summary.delay(str(message.conversation_id))
    except OperationalError as error:
        logger.warning("Duties of %s wait for the sweep: %s", message.conversation_id, error)
