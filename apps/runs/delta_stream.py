"""The text of the model call that is being written, on its way to readers."""

import asyncio
import time
from collections.abc import Callable

from agents.events import AgentThought
from agents.projection import thought_of
from agents.records import AnswerDelta

COALESCE = 0.04


class DeltaStream:
    """Hands deltas on at once while they are rare, joined to one every 40 ms when they come fast.

    Per delta only lists and strings are touched; the whole text is joined when somebody asks for it.
    """

    def __init__(self, task_id: str, hand_on: Callable[[AgentThought], None]) -> None:
        self.step = ""
        self.first_text_at: float | None = None
        self._task_id = task_id
        self._hand_on = hand_on
        self._answer: list[str] = []
        self._reasoning: list[str] = []
        self._waiting: AgentThought | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._handed_on_at = 0.0

    @property
    def answer(self) -> str:
        return "".join(self._answer)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    def take(self, record: AnswerDelta) -> None:
        if record.step != self.step:
            self.end_step()
            self.step = record.step
        if record.text:
            self._answer.append(record.text)
            self.first_text_at = self.first_text_at or time.monotonic()
        if record.reasoning:
            self._reasoning.append(record.reasoning)
        if self._waiting is not None:
            _join(self._waiting, record)
            return
        self._waiting = thought_of(record, self._task_id)
        wait = self._handed_on_at + COALESCE - time.monotonic()
        if wait <= 0:
            self.flush()
        else:
            self._timer = asyncio.get_running_loop().call_later(wait, self.flush)

    def flush(self) -> None:
        """Hand on what waits."""
        if self._timer:
            self._timer.cancel()
            self._timer = None
        if self._waiting is not None:
            delta, self._waiting = self._waiting, None
            self._handed_on_at = time.monotonic()
            self._hand_on(delta)

    def end_step(self) -> None:
        """The call is over: its text is in a step now."""
        self.step, self._answer, self._reasoning = "", [], []


def _join(delta: AgentThought, record: AnswerDelta) -> None:
    if record.text:
        delta.answer = (delta.answer or "") + record.text
    if record.reasoning:
        delta.reasoning = (delta.reasoning or "") + record.reasoning
