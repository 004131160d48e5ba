"""The HTML of an answer while its events come by."""

import asyncio
import time

from agents.events import AgentThought, QueueEvent
from apps.conversations.markdown import BlockRenderer

INTERVAL = 0.06
SHARE_OF_TIME = 1 / 8
LARGE_TAIL = 8_000

Changes = dict[str, object]


class AnswerBlocks:
    """Follows the answer's text by step and says which blocks changed, at most every 60 ms.

    Rendering takes at most an eighth of the time: the longer one takes, the later the next. What is large is
    rendered off the event loop.
    """

    def __init__(self) -> None:
        self._step = ""
        self._renderer = BlockRenderer()
        self._is_reset = True
        self._is_dirty = False
        self._is_complete = False
        self._next_at = 0.0

    @property
    def is_dirty(self) -> bool:
        """Text has come that no returned block shows."""
        return self._is_dirty

    def take(self, event: AgentThought) -> None:
        """Note what an event does to the answer."""
        match event.event:
            case QueueEvent.AGENT_MESSAGE:
                if event.id != self._step:
                    self._begin(event.id)
                self._add(event.answer)
                self._is_complete = event.answer is None and event.reasoning is None
            case QueueEvent.AGENT_THOUGHT if event.id == self._step:
                self._begin("")
            case QueueEvent.SNAPSHOT:
                self._begin(_last_answer_step(event))
                self._add(event.answer)
                self._is_complete = True
            case _ if event.event.is_terminal:
                self._is_complete = True

    async def changes(self, *, now: bool = False) -> Changes:
        """Fields for the frame: `html`, a list of {index, html}, and `html_reset` when earlier blocks go.

        Empty when nothing changed, or when it is too early and neither `now` is asked nor the text complete.
        """
        if not self._is_dirty or not (
            now or self._is_complete or time.monotonic() >= self._next_at
        ):
            return {}
        blocks = await self._render()
        fields: Changes = {
            "html": [{"index": index, "html": html} for index, html in blocks],
        }
        if self._is_reset:
            fields["html_reset"] = True
        self._is_dirty = self._is_reset = False
        return fields

    def _begin(self, step: str) -> None:
        self._step, self._renderer = step, BlockRenderer()
        self._is_reset = self._is_dirty = True
        self._is_complete = False

    def _add(self, text: str | None) -> None:
        if text:
            self._renderer.feed(text)
            self._is_dirty = True

    async def _render(self) -> list[tuple[int, str]]:
        started = time.monotonic()
        render = self._renderer.finish if self._is_complete else self._renderer.changes
        if self._renderer.tail_length > LARGE_TAIL:
            blocks = await asyncio.to_thread(render)
        else:
            blocks = render()
        ended = time.monotonic()
        self._next_at = ended + max(INTERVAL, (ended - started) / SHARE_OF_TIME)
        return blocks


def _last_answer_step(snapshot: AgentThought) -> str:
    """The step to which further deltas belong: the last one, if it is an answer."""
    last = snapshot.steps[-1] if snapshot.steps else {}
    return str(last["id"]) if last.get("event") == QueueEvent.AGENT_MESSAGE else ""
