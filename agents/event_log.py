"""The append-only log of a run's events: the only way from a run to its readers.

Sequence numbers are 1, 2, 3 … per task. One writer appends; any number of readers read on from where they are.
`memory_event_log.py` and `redis_event_log.py` keep the same contract (tests/agents/test_event_log.py).
"""

from collections.abc import Sequence
from typing import Protocol

from agents.events import AgentThought


class LogGone(Exception):  # noqa: N818 -- a condition that readers answer with a snapshot, not a fault
    """The event after the asked number is not in the log (any more): read the rows instead."""


class EventLog(Protocol):
    """Events by task. All methods belong to the event loop that the log was made on."""

    def open(self, task_id: str) -> None:
        """A run of this process is about to write: readers may wait for it here."""
        ...

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        """Add events whose `seq` follow on the last one. Never blocks, never drops."""
        ...

    async def read(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        """All events with `seq` > after, in order; waits up to `wait` seconds for the first, else [].

        Raises LogGone when the task is unknown or the next event would not be `after` + 1. An `after` that was
        never reached reads from the start.
        """
        ...

    async def last_seq(self, task_id: str) -> int:
        """The highest number in the log, 0 for an unknown task."""
        ...

    async def close(self) -> None:
        """Write out what is buffered and let go of connections."""
        ...
