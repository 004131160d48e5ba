"""A run's configuration: rows translated once (`apps/runs/assembly.py`), immutable from there on."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from agents.models.inference import ModelSpec
from memory.token_buffer import Turn
from tools.definition import ToolDefinition, ToolExecutionContext


class AgentMode(StrEnum):
    """How the model is given its tools."""

    FUNCTION_CALL = "function_call"
    REACT = "react"
    PLAIN = "plain"


class HistoryMode(StrEnum):
    """What of an earlier turn is sent again."""

    PAIRS = "pairs"
    FULL = "full"


@dataclass(frozen=True, kw_only=True)
class Review:
    """Words that may not pass, and what is said instead. Keywords are stored folded (`review.py`)."""

    input_keywords: tuple[str, ...] = ()
    output_keywords: tuple[str, ...] = ()
    input_response: str = ""
    output_response: str = ""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bounds of one run: model calls that may use tools, tool calls, seconds of running time."""

    max_iterations: int = 25
    max_tool_calls: int = 50
    turn_timeout: float = 600.0


@dataclass(frozen=True, kw_only=True)
class DroppedTool:
    """A tool that was chosen but cannot be offered, and why."""

    name: str
    reason: str


@dataclass(frozen=True, kw_only=True)
class AgentConfig:
    """Everything constant about an agent."""

    app_name: str
    config_hash: str
    mode: AgentMode
    model: ModelSpec
    parameters: Mapping[str, Any] = field(default_factory=dict)
    preset_prompt: str = ""
    tools: tuple[ToolDefinition, ...] = ()
    dropped_tools: tuple[DroppedTool, ...] = ()
    dialog_round: int = 10
    history_mode: HistoryMode = HistoryMode.PAIRS
    long_term_memory: bool = False
    review: Review = Review()
    limits: Limits = Limits()
    entry_guidance: str = ""


@dataclass(frozen=True, kw_only=True)
class RunRequest:
    """One question with what was before it. `history` is oldest first; `now` is an ISO time with zone."""

    task_id: str
    query: str
    history: Sequence[Turn] = ()
    summary: str = ""
    now: str
    tool_context: ToolExecutionContext


def mode_of(model: ModelSpec, *, has_tools: bool) -> AgentMode:
    """Native calls where the model has them, else ReAct where it follows that, else no tools."""
    if not has_tools:
        return AgentMode.PLAIN
    if model.tool_call:
        return AgentMode.FUNCTION_CALL
    return AgentMode.REACT if model.agent_thought else AgentMode.PLAIN
