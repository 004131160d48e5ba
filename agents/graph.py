"""The loop: preset_operation → load_context → call_llm ⇄ execute_tools → update_memory.

The end of a run is not a node: LangGraph skips nodes on cancellation and on exceptions, but every run ends
exactly once (`apps/runs/execution.py`). See docs/decisions/0003.
"""

from typing import Any, Literal

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from agents.context import RunContext
from agents.failure import RunFailed
from agents.nodes.call_llm import call_llm
from agents.nodes.execute_tools import execute_tools
from agents.nodes.load_context import load_context
from agents.nodes.preset_operation import preset_operation
from agents.nodes.update_memory import update_memory
from agents.outcome import Outcome
from agents.state import AgentState, new_state

NODES_PER_ITERATION = 3


async def run_agent(context: RunContext) -> Outcome:
    """Run the loop to its end. Raises RunFailed and ModelCallError; a cancelled task cancels it cleanly."""
    limit = NODES_PER_ITERATION * (context.config.limits.max_iterations + 2) + 4
    state = await GRAPH.ainvoke(new_state(), context=context, config={"recursion_limit": limit})
    outcome: Outcome | None = state["outcome"]
    if outcome is None:
        raise RunFailed("no_outcome", "The loop ended without an answer.")
    return outcome


async def _after_review(state: AgentState) -> Literal["load_context", "__end__"]:
    return "__end__" if state["outcome"] else "load_context"


async def _after_model(state: AgentState) -> Literal["execute_tools", "__end__"]:
    return "__end__" if state["outcome"] else "execute_tools"


def _build() -> CompiledStateGraph[AgentState, RunContext, Any, Any]:
    graph = StateGraph(AgentState, context_schema=RunContext)
    graph.add_node("preset_operation", preset_operation)
    graph.add_node("load_context", load_context)
    graph.add_node("call_llm", call_llm)
    graph.add_node("execute_tools", execute_tools)
    graph.add_node("update_memory", update_memory)
    graph.add_edge(START, "preset_operation")
    graph.add_conditional_edges("preset_operation", _after_review, ["load_context", END])
    graph.add_edge("load_context", "call_llm")
    graph.add_conditional_edges("call_llm", _after_model, ["execute_tools", END])
    graph.add_edge("execute_tools", "update_memory")
    graph.add_edge("update_memory", "call_llm")
    return graph.compile()


GRAPH = _build()
