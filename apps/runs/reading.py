"""Following a run: whoever reads may leave, come back with `after`, and read beside others."""

import asyncio
import time
from collections.abc import AsyncGenerator
from contextlib import suppress
from dataclasses import dataclass, field

from agents.event_log import LogGone
from agents.events import AgentThought, Audience, QueueEvent
from agents.projection import for_audience
from apps.runs.database import in_database
from apps.runs.home import get_home
from apps.runs.snapshot import Progress, read_progress, snapshot_of

PING_AFTER = 10.0
LOOK_AFTER = 15.0
LOOK_AGAIN = 0.25
# A reader may be ahead of the rows and of a log that is written with delay, but not by so many events.
NEVER_GIVEN = 5_000


async def follow_run(
    task_id: str, *, after: int, audience: Audience
) -> AsyncGenerator[AgentThought, None]:
    """The run's events after number `after`, as `audience` sees them, up to the terminal one.

    When the log no longer has the next event, one `snapshot` takes the place of what is missing. Pings (no
    `seq`) come after 10 idle seconds; after 15 the row is looked at, so that a lost event cannot hang a reader.
    """
    idle = _Idle()
    while True:
        thoughts = await _read(task_id, after, audience, look=idle.is_time_to_look())
        if thoughts is None:
            return
        for thought in thoughts:
            after = thought.seq
            if (seen := for_audience(thought, audience)) is not None:
                yield seen
            if thought.event.is_terminal:
                return
        if idle.is_time_to_ping(got_some=bool(thoughts)):
            yield AgentThought(id="ping", task_id=task_id, event=QueueEvent.PING)


@dataclass
class _Idle:
    """Since when a reader has had nothing to do."""

    since_event: float = field(default_factory=time.monotonic)
    since_look: float = field(default_factory=time.monotonic)

    def is_time_to_look(self) -> bool:
        now = time.monotonic()
        if now - self.since_look < LOOK_AFTER:
            return False
        self.since_look = now
        return True

    def is_time_to_ping(self, *, got_some: bool) -> bool:
        now = time.monotonic()
        if got_some:
            self.since_event = self.since_look = now
            return False
        if now - self.since_event < PING_AFTER:
            return False
        self.since_event = now
        return True


async def _read(
    task_id: str, after: int, audience: Audience, *, look: bool
) -> list[AgentThought] | None:
    """What comes next, from the log or, where that has nothing, from the rows; None when all was read."""
    if not look:
        with suppress(LogGone):
            return await get_home().log.read(task_id, after=after, wait=PING_AFTER)
    progress = await in_database(read_progress, task_id)
    if progress is None:
        return None
    if progress.terminal is None and progress.seq <= after < progress.seq + NEVER_GIVEN:
        await asyncio.sleep(LOOK_AGAIN)
        return []
    return _missing(progress, task_id, after, audience)


def _missing(
    progress: Progress, task_id: str, after: int, audience: Audience
) -> list[AgentThought] | None:
    """What the rows tell a reader who has seen the events up to `after`."""
    if progress.terminal is None:
        return [snapshot_of(progress, task_id, audience)]
    if after == progress.terminal.seq:
        return None
    return [snapshot_of(progress, task_id, audience), progress.terminal]
