"""The append-only log of a run's events: the only way from a run to its readers.

Sequence numbers rise from 1 per task. One writer appends; any number of readers read on from where they are. A
log may lack the beginning (it was opened late) and may jump (the end of a run whose process died is numbered
behind everything that may have been shown): a reader at such a hole reads the rows.
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

    def discard(self, task_id: str) -> None:
        """The run is not written here after all: forget it; who waits for it here gets LogGone at once."""
        ...

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        """Add events, `seq` rising. Never blocks; drops only numbers that the log has passed already."""
        ...

    async def flush(self, task_id: str) -> None:
        """Return when everything appended can be read wherever the log is read, after 2 s at the latest."""
        ...

    async def read(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        """The events after + 1, after + 2 … without a hole; waits up to `wait` seconds for the first, else [].

        Raises LogGone when the task is unknown, when the next event is not `after` + 1, and when `after` is
        ahead of the log.
        """
        ...

    async def last_seq(self, task_id: str) -> int:
        """The highest number in the log, 0 for an unknown task."""
        ...

    async def close(self) -> None:
        """Write out what is buffered, for at most 5 s, and let go of connections."""
        ...


def in_sequence(events: Sequence[AgentThought], *, after: int) -> list[AgentThought]:
    """What of `events` (`seq` rising, some perhaps repeated) counts on from `after`; LogGone if nothing does."""
    following: list[AgentThought] = []
    for event in events:
        if event.seq == after + len(following) + 1:
            following.append(event)
    if not following:
        raise LogGone(f"The log does not go on with event {after + 1}.")
    return following
