"""The append-only log of a run's events: the only way from a run to its readers.

Sequence numbers are 1, 2, 3 … per task. One writer appends; any number of readers follow, each from where it
was. `memory_event_log.py` and `redis_event_log.py` keep the same contract (tests/agents/test_event_log.py).
"""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from agents.events import AgentThought


class LogGone(Exception):  # noqa: N818 -- a condition that readers answer with a snapshot, not a fault
    """The events after the asked number are not (or no longer) in the log: read the rows instead."""


class EventLog(Protocol):
    """Events by task."""

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        """Add events whose `seq` follow on the last one. Never blocks, never drops while the process lives."""
        ...

    def follow(self, task_id: str, *, after: int = 0) -> AsyncIterator[AgentThought]:
        """Events with `seq` > after, in order, as they come, up to and with the terminal one.

        Raises LogGone when the next event would not be `after + 1`, or when the task is unknown here.
        """
        ...

    async def flush(self, task_id: str) -> None:
        """Return when everything appended is where other processes can read it."""
        ...

    async def close(self) -> None:
        """Flush and let go of connections."""
        ...
