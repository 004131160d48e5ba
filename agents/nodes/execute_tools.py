"""The tools' turn: every call is claimed, then run, and has exactly one result, in call order."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from langgraph.runtime import Runtime

from agents.context import RunContext
from agents.models.inference import ToolCallRequest
from agents.records import ToolFinished, ToolStarted
from agents.state import AgentState
from tools.definition import ToolDefinition, ToolError, ToolResult, ToolSource, ToolStatus

PARALLEL_CALLS = 8
OVER_LIMIT = ToolResult(
    status=ToolStatus.SKIPPED,
    content='{"error": {"code": "tool_call_limit", "message": "No tool calls are left in this turn."}}',
    error=ToolError(code="tool_call_limit", message="No tool calls are left in this turn."),
)


async def execute_tools(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """Runs the pending calls; in parallel only where every tool of the batch may."""
    context, calls, made = runtime.context, state["pending_tool_calls"], state["tool_call_count"]
    tools = {tool.name: tool for tool in context.config.tools}
    steps = {call.id: _claim(context, call, tools) for call in calls}
    await context.recorder.commit()
    allowed = max(0, context.config.limits.max_tool_calls - made)
    results: list[ToolResult] = []
    for batch in _batches(calls[:allowed], tools):
        done = await _call_together(context, batch)
        for call, result in zip(batch, done, strict=True):
            _report(context, steps[call.id], call, result, tools)
        await context.recorder.commit()
        context.guard.end_batch()
        results.extend(done)
    for call in calls[allowed:]:
        _report(context, steps[call.id], call, OVER_LIMIT, tools)
        results.append(OVER_LIMIT)
    return {"results": results, "tool_call_count": made + len(calls)}


def _claim(context: RunContext, call: ToolCallRequest, tools: Mapping[str, ToolDefinition]) -> str:
    """Say that the call is about to run; the step that it is told under."""
    step = context.next_step("action")
    context.recorder.emit(
        ToolStarted(
            step=step,
            call_id=call.id,
            tool=call.name,
            source=_source(tools, call),
            arguments=call.raw_arguments,
        )
    )
    return step


def _batches(
    calls: Sequence[ToolCallRequest], tools: Mapping[str, ToolDefinition]
) -> Sequence[Sequence[ToolCallRequest]]:
    if all(call.name in tools and tools[call.name].is_parallel_safe for call in calls):
        return [calls[at : at + PARALLEL_CALLS] for at in range(0, len(calls), PARALLEL_CALLS)]
    return [[call] for call in calls]


async def _call_together(
    context: RunContext, batch: Sequence[ToolCallRequest]
) -> Sequence[ToolResult]:
    """The results of a batch with the guard's remarks; none of its calls outlives it."""
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(_call(context, call)) for call in batch]
    results = [task.result() for task in tasks]
    return [
        _with_remark(result, context.guard.remark(call, result))
        for call, result in zip(batch, results, strict=True)
    ]


async def _call(context: RunContext, call: ToolCallRequest) -> ToolResult:
    return await context.gate.call(
        name=call.name,
        arguments=call.arguments,
        problem=call.problem,
        context=context.request.tool_context,
    )


def _with_remark(result: ToolResult, remark: str) -> ToolResult:
    return replace(result, content=f"{result.content}\n{remark}") if remark else result


def _report(
    context: RunContext,
    step: str,
    call: ToolCallRequest,
    result: ToolResult,
    tools: Mapping[str, ToolDefinition],
) -> None:
    context.recorder.emit(
        ToolFinished(
            step=step,
            call_id=call.id,
            tool=call.name,
            source=_source(tools, call),
            arguments=call.raw_arguments,
            result=result,
        )
    )


def _source(tools: Mapping[str, ToolDefinition], call: ToolCallRequest) -> ToolSource | None:
    return tools[call.name].source if call.name in tools else None
