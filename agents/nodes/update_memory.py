"""After the tools: the finished group joins the stack and is in the rows before the next model call."""

from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime

from agents.config import AgentMode
from agents.context import RunContext
from agents.react import react_result
from agents.state import AgentState


async def update_memory(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Appends the assistant's message and its results, commits, counts the iteration."""
    context = runtime.context
    context.guard.end_round(list(state["results"]))
    await context.recorder.commit()
    assistant = state["assistant"]
    group = [*([assistant] if assistant else []), *_result_messages(state, context.config.mode)]
    return {
        "messages": [*state["messages"], *group],
        "iteration_count": state["iteration_count"] + 1,
        "pending_tool_calls": (),
        "assistant": None,
        "results": (),
    }


def _result_messages(state: AgentState, mode: AgentMode) -> list[BaseMessage]:
    pairs = list(zip(state["pending_tool_calls"], state["results"], strict=True))
    if mode is AgentMode.REACT:
        return [HumanMessage(react_result(call.name, result.content)) for call, result in pairs]
    return [
        ToolMessage(result.content, tool_call_id=call.id, name=call.name) for call, result in pairs
    ]
