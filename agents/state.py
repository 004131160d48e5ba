"""What changes while a run's graph runs."""

from collections.abc import Sequence
from typing import TypedDict

from langchain_core.messages import BaseMessage

from agents.models.inference import ToolCallRequest
from agents.outcome import Outcome
from tools.definition import ToolResult


class AgentState(TypedDict):
    """The state of the graph; constant inputs live in `RunContext`.

    `messages` is the stack that the model is sent, system message first; `reported` of them stand in earlier
    steps. `assistant` and `results` are the open group: a message with calls and what the calls gave, not yet
    part of the stack. An `outcome` ends the run.
    """

    messages: Sequence[BaseMessage]
    reported: int
    iteration_count: int
    tool_call_count: int
    pending_tool_calls: Sequence[ToolCallRequest]
    assistant: BaseMessage | None
    results: Sequence[ToolResult]
    outcome: Outcome | None


def new_state() -> AgentState:
    return AgentState(
        messages=(),
        reported=0,
        iteration_count=0,
        tool_call_count=0,
        pending_tool_calls=(),
        assistant=None,
        results=(),
        outcome=None,
    )
