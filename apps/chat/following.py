"""One run, followed by one socket."""

import asyncio
import json
from collections import deque
from collections.abc import Awaitable, Callable

from agents.events import AgentThought, QueueEvent
from apps.chat.answer_blocks import AnswerBlocks, Changes
from apps.chat.asking import FollowedRun
from apps.chat.frames import frame_text
from apps.runs.reading import follow_run

MOST_IN_FLIGHT = 256
SLOW_READER = 60.0
LATE = 0.1

SendText = Callable[[str], Awaitable[None]]


class SlowReaderError(Exception):
    """The reader has left 256 events unacknowledged for a minute."""


class RunFollower:
    """Sends a run's events as frames: at most 256 unacknowledged ones are in flight.

    With `is_html` frames also carry the changed blocks of the answer. The renderer needs the text from its
    beginning, so the log is then read from the start and only what is after `after` is sent.
    """

    def __init__(self, run: FollowedRun, *, after: int, is_html: bool, send: SendText) -> None:
        self.run = run
        self.seq = after
        self._after = after
        self._in_flight: deque[int] = deque()
        self._room = asyncio.Event()
        self._send = send
        self._blocks = AnswerBlocks() if is_html else None
        self._rendering = asyncio.Lock()
        self._late: asyncio.Task[None] | None = None

    async def follow(self) -> None:
        """Send until the terminal event. Raises SlowReaderError."""
        start = 0 if self._blocks else self._after
        try:
            async for event in follow_run(
                self.run.task_id, after=start, audience=self.run.audience
            ):
                if self._blocks:
                    self._blocks.take(event)
                if self._is_news(event):
                    await self._forward(event)
        finally:
            if self._late:
                self._late.cancel()

    def acknowledge(self, seq: int) -> None:
        """The reader has events up to `seq`, at most those that were sent."""
        while self._in_flight and self._in_flight[0] <= seq:
            self._in_flight.popleft()
        self._room.set()

    def _is_news(self, event: AgentThought) -> bool:
        return not 0 < event.seq <= self._after or event.event is QueueEvent.SNAPSHOT

    async def _forward(self, event: AgentThought) -> None:
        await self._wait_for_room()
        if event.seq:
            self._in_flight.append(event.seq)
            self.seq = event.seq
        text = event.as_json()
        if self._blocks is None:
            await self._send(f'{{"type":"event",{text[1:]}')
        else:
            async with self._rendering:
                changes = await self._blocks.changes()
                await self._send(f'{{"type":"event",{_joined(text, changes)}')
            if self._blocks.is_dirty and (self._late is None or self._late.done()):
                self._late = asyncio.create_task(self._send_late_blocks(self._blocks))

    async def _wait_for_room(self) -> None:
        while len(self._in_flight) >= MOST_IN_FLIGHT:
            self._room.clear()
            try:
                async with asyncio.timeout(SLOW_READER):
                    await self._room.wait()
            except TimeoutError as error:
                raise SlowReaderError(self.run.task_id) from error

    async def _send_late_blocks(self, blocks: AnswerBlocks) -> None:
        """What came too early after the last rendering is shown soon, also when the model pauses."""
        await asyncio.sleep(LATE)
        async with self._rendering:
            changes = await blocks.changes(now=True)
            if changes:
                await self._send(frame_text("html", task_id=self.run.task_id, **changes))


def _joined(text: str, changes: Changes) -> str:
    """An event's JSON with more fields, without reading it again; the opening brace is left off."""
    if not changes:
        return text[1:]
    more = json.dumps(changes, ensure_ascii=False, separators=(",", ":"))
    return f"{text[1:-1]},{more[1:]}"
