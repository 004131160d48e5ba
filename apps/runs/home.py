"""Where runs execute: on the event loop of this process, or in the Celery workers.

A process has one home, bound to its one long-lived loop; every entry submits and stops through it.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar
from uuid import UUID

from django.conf import settings

from agents.event_log import EventLog
from agents.memory_event_log import MemoryEventLog
from agents.outcome import RunStatus
from agents.redis_event_log import RedisEventLog

logger = logging.getLogger(__name__)

KNOWN_PROMPTS = 10_000
T = TypeVar("T")

Execute = Callable[[str, "RunHome"], Coroutine[Any, Any, None]]


@dataclass(frozen=True, kw_only=True)
class Checkpoint:
    """The text of an unfinished answer after event number `seq`."""

    message_id: UUID
    answer: str
    reasoning: str
    seq: int


class Checkpointed(Protocol):
    """A run that can tell its unfinished answer."""

    def checkpoint(self) -> Checkpoint | None: ...


class RunHome:
    """The runs of this process, their event log, and the reasons for which they were ended early.

    `known_prompts` are the hashes of system prompts that are stored already.
    """

    def __init__(self, execute: Execute, *, dispatch: Callable[[str], None] | None = None) -> None:
        self.loop: asyncio.AbstractEventLoop | None = None
        self.is_draining = False
        self._log: EventLog | None = None
        self._execute = execute
        self._dispatch = dispatch
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._work: dict[str, asyncio.Task[Any]] = {}
        self._reasons: dict[str, RunStatus] = {}
        self.recorders: dict[str, Checkpointed] = {}
        self.known_prompts: set[str] = set()

    @property
    def log(self) -> EventLog:
        if self._log is None:
            self._log = _make_log()
        return self._log

    @property
    def running(self) -> frozenset[str]:
        return frozenset(self._tasks)

    def bind(self, loop: asyncio.AbstractEventLoop) -> None:
        """Name the loop on which runs of this process live; a closed one may be replaced."""
        if self.loop is None or self.loop.is_closed():
            self.loop, self._log = loop, None
            self._tasks.clear()

    def submit(self, task_id: str) -> None:
        """From any thread, after the commit: have the run executed."""
        if self._dispatch:
            self._dispatch(task_id)
        else:
            self.start(task_id)

    def start(self, task_id: str) -> None:
        """From any thread: execute the run on this process's loop."""
        if self.loop is None:
            logger.warning("Run %s waits: no event loop runs in this process.", task_id)
            return
        self.loop.call_soon_threadsafe(self._start, task_id)

    def stop(self, task_id: str, reason: RunStatus = RunStatus.STOPPED) -> None:
        """From any thread: cancel the run if it is executed here; the first reason stays."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._stop, task_id, reason)

    def begin_work(self, task_id: str, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """The part of a run that a stop cancels; at once, if the stop came before."""
        task = asyncio.get_running_loop().create_task(work, name=f"run {task_id}")
        self._work[task_id] = task
        if task_id in self._reasons:
            task.cancel()
        return task

    def reason_of(self, work: asyncio.Task[Any]) -> RunStatus:
        """Why cancelled work was cancelled."""
        task_id = next((task_id for task_id, task in self._work.items() if task is work), "")
        return self._reasons.get(task_id, RunStatus.INTERRUPTED)

    def wake_readers(self, task_id: str) -> None:
        """From any thread: a run that never began has ended; who waits for it here reads its row."""
        if self.loop is not None and not self.loop.is_closed():
            self.loop.call_soon_threadsafe(self._wake_readers, task_id)

    async def drain(self, seconds: float) -> None:
        """Take no new runs, let the others finish for `seconds`, then interrupt them."""
        self.is_draining = True
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=seconds)
        for task_id in list(self._tasks):
            self._stop(task_id, RunStatus.INTERRUPTED)
        if self._tasks:
            await asyncio.wait(self._tasks.values(), timeout=10)
        await self.log.close()

    async def finished(self, task_id: str) -> None:
        """Wait for the end of a run that is executed here."""
        if task := self._tasks.get(task_id):
            await asyncio.wait([task])

    def _start(self, task_id: str) -> None:
        if self.is_draining or task_id in self._tasks or self.loop is None:
            return
        self.log.open(task_id)
        task = self.loop.create_task(self._execute(task_id, self))
        self._tasks[task_id] = task
        task.add_done_callback(lambda _done: self._forget(task_id))

    def _stop(self, task_id: str, reason: RunStatus) -> None:
        if task_id in self._tasks and task_id not in self._reasons:
            self._reasons[task_id] = reason
            if work := self._work.get(task_id):
                work.cancel()

    def _wake_readers(self, task_id: str) -> None:
        if task_id not in self._tasks:
            self.log.discard(task_id)

    def _forget(self, task_id: str) -> None:
        task = self._tasks.pop(task_id)
        self._work.pop(task_id, None)
        self._reasons.pop(task_id, None)
        if len(self.known_prompts) > KNOWN_PROMPTS:
            self.known_prompts.clear()
        if not task.cancelled() and (error := task.exception()):
            logger.error(
                "Run %s ended without a record: the reaper will end it.", task_id, exc_info=error
            )


_home: RunHome | None = None


def install_home(home: RunHome) -> None:
    """Name the home of this process (`apps.py`, at start)."""
    global _home  # noqa: PLW0603 -- a process has exactly one
    _home = home


def get_home() -> RunHome:
    if _home is None:
        raise RuntimeError("No run home is installed: is apps.runs in INSTALLED_APPS?")
    return _home


def _make_log() -> EventLog:
    if settings.REDIS_URL:
        return RedisEventLog(settings.REDIS_URL, ttl=settings.EVENT_LOG_TTL)
    return MemoryEventLog()
