"""What every node of a run may use: the constant inputs and the ports."""

from collections import Counter
from dataclasses import dataclass, field

from agents.config import AgentConfig, RunRequest
from agents.loop_guard import LoopGuard
from agents.models.inference import ModelClient
from agents.ports import Recorder
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

    def unused_call_id(self, wanted: str) -> str:
        """`wanted`, or a variant of it when the run has a call of that id: some models number from 0 each time."""
        call_id, number = wanted, 1
        while call_id in self._call_ids:
            number += 1
            call_id = f"{wanted}-{number}"
        self._call_ids.add(call_id)
        return call_id
