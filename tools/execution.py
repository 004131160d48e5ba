"""The gate: the only caller of tools. Whatever a tool does, its call ends in one result."""

import asyncio
import json
import logging
import time
import traceback
from collections.abc import Collection, Sequence
from dataclasses import replace

from tools.definition import (
    ArgumentsObject,
    RegisteredTool,
    Risk,
    ToolDefinition,
    ToolEffect,
    ToolError,
    ToolExecutionContext,
    ToolFault,
    ToolResult,
    ToolStatus,
)
from tools.output import cap_output, make_storable
from tools.plain_text import clean_text, redact, shorten
from tools.policy import Decision, DecisionCode, decide

logger = logging.getLogger(__name__)

# An error as people read it, and as the model does: a list of tool names needs more room.
MAX_MESSAGE = 300
MAX_TOLD = 2_000


class ToolGate:
    """Calls the tools of one App. `catalogue` holds the names of all tools of the site."""

    def __init__(self, tools: Sequence[RegisteredTool], *, catalogue: Collection[str] = ()) -> None:
        self._tools = {tool.definition.name: tool for tool in tools}
        self._offered = {name: tool.definition for name, tool in self._tools.items()}
        self._catalogue = catalogue

    async def call(
        self,
        *,
        name: str,
        arguments: ArgumentsObject | None,
        problem: str,
        context: ToolExecutionContext,
    ) -> ToolResult:
        """Judge the call and, if it may run, run it within the tool's timeout.

        `arguments` of None could not be read; `problem` says why. Raises nothing but CancelledError.
        """
        started = time.monotonic()
        result = await self._judge_and_run(name, arguments, problem, context)
        return replace(result, duration=time.monotonic() - started)

    async def _judge_and_run(
        self,
        name: str,
        arguments: ArgumentsObject | None,
        problem: str,
        context: ToolExecutionContext,
    ) -> ToolResult:
        try:
            decision = decide(
                name,
                arguments=arguments,
                problem=problem,
                offered=self._offered,
                catalogue=self._catalogue,
            )
            if not decision.allowed or arguments is None:
                return _refusal(decision)
            return await _run(self._tools[name], arguments, context)
        except ToolFault as fault:
            return _failure(ToolStatus.ERROR, fault.code, fault.message, self._offered[name])
        # A tool may raise anything (and its schema may be broken): here that becomes a result.
        except Exception as error:  # noqa: BLE001
            return _report(error, self._offered[name])


async def _run(
    tool: RegisteredTool, arguments: ArgumentsObject, context: ToolExecutionContext
) -> ToolResult:
    definition = tool.definition
    try:
        async with asyncio.timeout(definition.timeout) as scope:
            output = await tool.handler(arguments, context)
    except TimeoutError:
        if not scope.expired():
            raise
        message = f"The tool {definition.name!r} gave no result within {definition.timeout:g} s."
        return _failure(ToolStatus.TIMEOUT, "timeout", message, definition)
    except asyncio.CancelledError:
        if _is_run_cancelled():
            raise
        message = f"The tool {definition.name!r} was cancelled from within."
        return _failure(ToolStatus.ERROR, "cancelled", message, definition)
    content, is_truncated = cap_output(make_storable(output))
    return ToolResult(
        status=ToolStatus.SUCCESS,
        content=content,
        effect=ToolEffect.NONE if definition.risk is Risk.SAFE else ToolEffect.COMMITTED,
        is_truncated=is_truncated,
    )


def _is_run_cancelled() -> bool:
    """Whether somebody cancelled this task, rather than a task that a tool waited for."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _report(error: Exception, definition: ToolDefinition) -> ToolResult:
    """The result of a call that raised. The log gets the frames, never a value that may be a secret."""
    message = shorten(redact(f"{type(error).__name__}: {error}"), MAX_MESSAGE)
    frames = "".join(traceback.format_tb(error.__traceback__))
    logger.error("Tool %r failed: %s\n%s", definition.name, message, frames)
    return _failure(ToolStatus.ERROR, "tool_failed", message, definition)


def _failure(status: ToolStatus, code: str, message: str, definition: ToolDefinition) -> ToolResult:
    effect = ToolEffect.NONE if definition.risk is Risk.SAFE else ToolEffect.UNKNOWN
    return _error_result(status, code, message, effect=effect)


def _refusal(decision: Decision) -> ToolResult:
    is_denied = decision.code is DecisionCode.NEEDS_PERMIT
    status = ToolStatus.DENIED if is_denied else ToolStatus.ERROR
    return _error_result(status, decision.code, decision.text, effect=ToolEffect.NONE)


def _error_result(status: ToolStatus, code: str, message: str, *, effect: ToolEffect) -> ToolResult:
    told = shorten(clean_text(redact(message)), MAX_TOLD)
    error = ToolError(code=str(code), message=shorten(told, MAX_MESSAGE))
    return ToolResult(
        status=status,
        content=json.dumps({"error": {"code": error.code, "message": told}}, ensure_ascii=False),
        error=error,
        effect=effect,
    )
