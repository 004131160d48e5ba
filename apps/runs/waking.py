"""Telling Celery what there is to do, from a thread of its own: a broker that hangs holds nobody up.

The rows are the truth and a message only wakes. What is not sent here, the reaper and the sweep find.
"""

import logging
import queue
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import Any

from kombu.exceptions import OperationalError

from apps.conversations.models import Message
from apps.runs.recently import Recently
from apps.runs.tasks import execute_run, write_conversation_summary, write_conversation_title

logger = logging.getLogger(__name__)

MOST_WAITING = 1000
SENT_AGAIN_AFTER = 60.0

_sent_runs = Recently(seconds=SENT_AGAIN_AFTER)


def dispatch_run(task_id: str) -> None:
    """Hand a run to the workers, at most once a minute from this process. Never waits."""
    if _sent_runs.add(task_id):
        _sender().send(_Wake(execute_run, task_id, partial(_sent_runs.discard, task_id)))


def wake_duties(message: Message) -> None:
    """After the end of a turn was committed: send what it owes. Never waits, reads no database."""
    conversation_id = str(message.conversation_id)
    if not message.conversation.title and message.parent_id is None:
        _sender().send(_Wake(write_conversation_title, conversation_id))
    if message.app_config and message.app_config.long_term_memory:
        _sender().send(_Wake(write_conversation_summary, conversation_id))


@dataclass(frozen=True)
class _Wake:
    """A task and the id it takes; `forget` is called when it was not sent."""

    task: Any
    row_id: str
    forget: Callable[[], None] = lambda: None


class _Sender:
    def __init__(self) -> None:
        self._waiting: queue.Queue[_Wake] = queue.Queue(MOST_WAITING)
        threading.Thread(target=self._send_all, name="waking", daemon=True).start()

    def send(self, wake: _Wake) -> None:
        try:
            self._waiting.put_nowait(wake)
        except queue.Full:
            logger.warning("%s waits for the next sweep: too much is to be sent.", wake.row_id)
            wake.forget()

    def _send_all(self) -> None:
        """This thread's edge: whatever goes wrong with one message is logged, the next one is sent."""
        while True:
            wake = self._waiting.get()
            try:
                wake.task.delay(wake.row_id)
            except OperationalError as error:
                logger.warning("%s waits for the broker: %s", wake.row_id, error)
                wake.forget()
            except Exception:
                logger.exception("%s was not sent", wake.row_id)
                wake.forget()


@cache
def _sender() -> _Sender:
    return _Sender()
