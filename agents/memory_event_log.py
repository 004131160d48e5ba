"""The event log of one process, in its memory."""

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from agents.event_log import LogGone
from agents.events import AgentThought


@dataclass
class _Stream:
    events: list[AgentThought] = field(default_factory=list)
    bell: asyncio.Event = field(default_factory=asyncio.Event)


class MemoryEventLog:
    """Keeps a run's events until `linger` seconds after its end; then the rows tell the same."""

    def __init__(self, *, linger: float = 60.0) -> None:
        self._linger = linger
        self._streams: dict[str, _Stream] = {}

    def open(self, task_id: str) -> None:
        self._streams.setdefault(task_id, _Stream())

    def knows(self, task_id: str) -> bool:
        return task_id in self._streams

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        """The end of a run that another process began is not kept: its readers find it in the rows."""
        if events[0].seq != 1 and not self.knows(task_id):
            return
        stream = self._streams.setdefault(task_id, _Stream())
        stream.events.extend(events)
        stream.bell.set()
        stream.bell = asyncio.Event()
        if events[-1].event.is_terminal:
            asyncio.get_running_loop().call_later(self._linger, self._streams.pop, task_id, None)

    async def read(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        stream = self._streams.get(task_id)
        if stream is None:
            raise LogGone(task_id)
        if not stream.events or after == len(stream.events):
            try:
                async with asyncio.timeout(wait):
                    await stream.bell.wait()
            except TimeoutError:
                return []
        return stream.events[after if after <= len(stream.events) else 0 :]

    async def last_seq(self, task_id: str) -> int:
        stream = self._streams.get(task_id)
        return len(stream.events) if stream else 0

    async def close(self) -> None:
        self._streams.clear()
