"""The event log of one process, in its memory."""

import asyncio
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from operator import attrgetter

from agents.event_log import LogGone, in_sequence
from agents.events import AgentThought


@dataclass
class _Stream:
    events: list[AgentThought] = field(default_factory=list)
    bell: asyncio.Event = field(default_factory=asyncio.Event)

    @property
    def last_seq(self) -> int:
        return self.events[-1].seq if self.events else 0

    def ring(self) -> None:
        self.bell.set()
        self.bell = asyncio.Event()


class MemoryEventLog:
    """Keeps a run's events until `linger` seconds after its end; then the rows tell the same."""

    def __init__(self, *, linger: float = 60.0) -> None:
        self._linger = linger
        self._streams: dict[str, _Stream] = {}

    def open(self, task_id: str) -> None:
        self._streams.setdefault(task_id, _Stream())

    def discard(self, task_id: str) -> None:
        if stream := self._streams.pop(task_id, None):
            stream.ring()

    def knows(self, task_id: str) -> bool:
        return task_id in self._streams

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        """The end of a run that another process began is not kept: its readers find it in the rows."""
        if events[0].seq != 1 and not self.knows(task_id):
            return
        stream = self._streams.setdefault(task_id, _Stream())
        stream.events.extend(event for event in events if event.seq > stream.last_seq)
        stream.ring()
        if events[-1].event.is_terminal:
            asyncio.get_running_loop().call_later(self._linger, self.discard, task_id)

    async def flush(self, task_id: str) -> None:
        """What is appended can be read already."""

    async def read(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        stream = self._streams.get(task_id)
        if stream is None:
            raise LogGone(task_id)
        if after == stream.last_seq:
            try:
                async with asyncio.timeout(wait):
                    await stream.bell.wait()
            except TimeoutError:
                return []
        following = bisect_right(stream.events, after, key=attrgetter("seq"))
        return in_sequence(stream.events[following:], after=after)

    async def last_seq(self, task_id: str) -> int:
        stream = self._streams.get(task_id)
        return stream.last_seq if stream else 0

    async def close(self) -> None:
        for task_id in list(self._streams):
            self.discard(task_id)
