"""What every node of a run may use: the constant inputs and the ports."""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from langchain_core.messages import AIMessage, BaseMessage

from agents.config import AgentConfig, RunRequest
from agents.loop_guard import LoopGuard
from agents.models.inference import ModelClient
from agents.ports import Recorder
from agents.records import Notice
from tools.execution import ToolGate


@dataclass(kw_only=True)
class RunContext:
    """One run's surroundings; made per run, shared with nobody."""

    config: AgentConfig
    request: RunRequest
    client: ModelClient
    gate: ToolGate
    recorder: Recorder
    guard: LoopGuard = field(default_factory=LoopGuard)
    _steps: Counter[str] = field(default_factory=Counter)
    _call_ids: set[str] = field(default_factory=set)

    def next_step(self, kind: str) -> str:
        """A step id, unique in the run: `message-1`, `action-1`, `message-2`, …"""
        self._steps[kind] += 1
        return f"{kind}-{self._steps[kind]}"

    def note(self, code: str, text: str) -> None:
        """Tell whoever reads the run's steps something about it."""
        self.recorder.emit(Notice(step=self.next_step("notice"), code=code, text=text))

    def unused_call_id(self, wanted: str) -> str:
        """`wanted`, or a variant of it when the run has a call of that id: some models number from 0 each time.

        An id that a provider or a column would refuse gives way to one made from it.
        """
        call_id, number = _acceptable_id(wanted), 1
        while call_id in self._call_ids:
            number += 1
            call_id = _acceptable_id(f"{wanted}-{number}")
        self._call_ids.add(call_id)
        return call_id

    def take_call_ids(self, messages: Iterable[BaseMessage]) -> None:
        """Count the calls of earlier turns as the run's own, so that no id comes twice in a request."""
        for message in messages:
            if isinstance(message, AIMessage):
                self._call_ids.update(call["id"] for call in message.tool_calls if call["id"])


_ACCEPTABLE_ID = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


def _acceptable_id(wanted: str) -> str:
    if _ACCEPTABLE_ID.fullmatch(wanted):
        return wanted
    return f"call_{hashlib.sha256(wanted.encode()).hexdigest()[:24]}"
