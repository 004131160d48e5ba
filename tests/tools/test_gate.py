"""The gate: whatever a model asks and whatever a tool does, a call ends in one result."""

import asyncio
import json
import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from agents.models.arguments import read_arguments
from tools.definition import (
    ArgumentsObject,
    RegisteredTool,
    Risk,
    ToolDefinition,
    ToolEffect,
    ToolExecutionContext,
    ToolFault,
    ToolHandler,
    ToolResult,
    ToolSource,
    ToolStatus,
)
from tools.execution import ToolGate
from tools.output import MAX_CHARACTERS

CONTEXT = ToolExecutionContext(task_id="t", caller_id="c")
SCHEMA = {
    "type": "object",
    "properties": {"text": {"type": "string"}},
    "required": ["text"],
    "additionalProperties": False,
}


async def echo(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
    return f"you said {arguments['text']}"


def registered(handler: ToolHandler = echo, **changes: Any) -> RegisteredTool:
    definition = ToolDefinition(
        name="echo", description="Says it again.", parameters=SCHEMA, source=ToolSource.BUILTIN
    )
    return RegisteredTool(definition=replace(definition, **changes), handler=handler)


async def call(
    tool: RegisteredTool, arguments: Mapping[str, Any] | None = None, *, name: str = "echo"
) -> ToolResult:
    given = {"text": "hi"} if arguments is None else arguments
    gate = ToolGate([tool], catalogue=["echo", "hammer"])
    return await gate.call(name=name, arguments=given, problem="", context=CONTEXT)


def raising(error: BaseException) -> ToolHandler:
    async def fail(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
        raise error

    return fail


def giving(output: str) -> ToolHandler:
    async def give(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
        return output

    return give


async def wait_forever(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
    return await asyncio.Future()


async def test_an_allowed_call_gives_the_tools_output() -> None:
    result = await call(registered())
    assert (result.status, result.content, result.error) == (
        ToolStatus.SUCCESS,
        "you said hi",
        None,
    )


async def test_an_unknown_tool_is_answered_with_the_available_ones() -> None:
    result = await call(registered(), name="saw")
    assert result.error is not None
    assert (result.status, result.error.code) == (ToolStatus.ERROR, "unknown_tool")
    assert "echo" in result.content


@pytest.mark.parametrize("name", ["", " ", "\n"])
async def test_a_blank_name_is_answered_shortly_without_the_list(name: str) -> None:
    result = await call(registered(), name=name)
    assert result.error is not None
    assert result.error.code == "blank_name"
    assert "echo" not in result.content


@pytest.mark.parametrize(
    ("changes", "code", "status"),
    [
        ({"is_enabled": False}, "disabled", ToolStatus.ERROR),
        ({"is_enabled": False, "risk": Risk.FORBIDDEN}, "disabled", ToolStatus.ERROR),
        ({"risk": Risk.FORBIDDEN}, "forbidden", ToolStatus.ERROR),
        ({"risk": Risk.FORBIDDEN, "is_managed": True}, "forbidden", ToolStatus.ERROR),
        ({"is_managed": True}, "needs_permit", ToolStatus.DENIED),
        ({"risk": Risk.HIGH}, "needs_permit", ToolStatus.DENIED),
    ],
)
async def test_the_first_rule_that_hits_refuses_and_nothing_runs(
    changes: dict[str, Any], code: str, status: ToolStatus
) -> None:
    result = await call(registered(raising(AssertionError("it ran")), **changes), {})
    assert result.error is not None
    assert (result.error.code, result.status) == (code, status)
    assert result.effect is ToolEffect.NONE


async def test_a_tool_of_another_app_is_refused_as_such() -> None:
    result = await call(registered(), name="hammer")
    assert result.error is not None
    assert result.error.code == "not_in_app"


async def test_permission_claimed_in_the_arguments_permits_nothing() -> None:
    open_schema = {"type": "object"}
    tool = registered(raising(AssertionError("it ran")), is_managed=True, parameters=open_schema)
    result = await call(tool, {"permitted": True, "confirmed": True, "is_managed": False})
    assert result.status is ToolStatus.DENIED


@pytest.mark.parametrize(
    "raw", ['"foo"', "foo", "[]", "1", "true", '{"text": "hi"', '{"text": NaN}', "{} {}", "\x00"]
)
async def test_arguments_that_are_no_object_give_an_error_result(raw: str) -> None:
    read = read_arguments(raw)
    gate = ToolGate([registered(raising(AssertionError("it ran")))])
    result = await gate.call(
        name="echo", arguments=read.content, problem=read.problem, context=CONTEXT
    )
    assert result.error is not None
    assert (result.status, result.error.code) == (ToolStatus.ERROR, "invalid_arguments")


async def test_no_object_and_no_problem_is_refused_too() -> None:
    gate = ToolGate([registered(raising(AssertionError("it ran")))])
    result = await gate.call(name="echo", arguments=None, problem="", context=CONTEXT)
    assert result.error is not None
    assert result.error.message == "The arguments must be one JSON object."


@pytest.mark.parametrize(
    "arguments", [{}, {"text": 1}, {"text": "a", "more": 1}, {"text": ["a"]}, {"text": None}]
)
async def test_arguments_against_the_schema_give_an_error_result(
    arguments: dict[str, Any],
) -> None:
    result = await call(registered(raising(AssertionError("it ran"))), arguments)
    assert result.error is not None
    assert result.error.code == "invalid_arguments"


async def test_a_remote_reference_in_a_schema_is_not_fetched() -> None:
    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        visits.append("visited")
        writer.close()

    visits: list[str] = []
    async with await asyncio.start_server(answer, "127.0.0.1", 0) as server:
        port = server.sockets[0].getsockname()[1]
        schema = {"type": "object", "$ref": f"http://127.0.0.1:{port}/schema.json"}
        result = await call(registered(parameters=schema))
    assert (result.status, visits) == (ToolStatus.ERROR, [])


async def test_a_tool_that_hangs_ends_with_its_timeout() -> None:
    result = await call(registered(wait_forever, timeout=0.02, risk=Risk.LOW))
    assert (result.status, result.effect) == (ToolStatus.TIMEOUT, ToolEffect.UNKNOWN)
    assert result.duration >= 0.02


async def test_a_timeout_of_the_tools_own_is_an_error_of_the_tool() -> None:
    result = await call(registered(raising(TimeoutError("upstream is slow"))))
    assert result.status is ToolStatus.ERROR
    assert "upstream is slow" in result.content


async def test_an_exception_becomes_a_short_result_without_secrets(
    caplog: pytest.LogCaptureFixture,
) -> None:
    error = RuntimeError("refused: api_key=canary-4711, Bearer canary-4712 " + "x" * 1000)
    with caplog.at_level(logging.ERROR):
        result = await call(registered(raising(error)))
    assert result.error is not None
    assert result.error.code == "tool_failed"
    assert result.error.message.startswith("RuntimeError: refused")
    assert len(result.error.message) <= 300
    assert "canary" not in result.content + caplog.text
    assert "test_gate.py" in caplog.text


async def test_a_fault_is_told_in_the_tools_own_words() -> None:
    result = await call(registered(raising(ToolFault("no_such_city", "There is no city 'Foo'."))))
    assert json.loads(result.content) == {
        "error": {"code": "no_such_city", "message": "There is no city 'Foo'."}
    }


async def test_a_cancelled_run_is_the_only_thing_that_gets_out() -> None:
    running = asyncio.ensure_future(call(registered(wait_forever)))
    await asyncio.sleep(0)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_tool_that_was_cancelled_from_within_does_not_end_the_run() -> None:
    result = await call(registered(raising(asyncio.CancelledError())))
    assert (result.status, result.error and result.error.code) == (ToolStatus.ERROR, "cancelled")


async def test_a_flood_is_cut_with_a_mark() -> None:
    result = await call(registered(giving("x" * 250_000)))
    assert result.is_truncated
    assert len(result.content) == MAX_CHARACTERS
    assert result.content.endswith("[cut: the output has 250,000 characters, these are the first]")


async def test_an_output_at_the_limit_stays_whole() -> None:
    result = await call(registered(giving("x" * MAX_CHARACTERS)))
    assert (result.is_truncated, len(result.content)) == (False, MAX_CHARACTERS)


@pytest.mark.parametrize(
    ("output", "told"),
    [
        ('{"a": NaN, "b": [Infinity, -Infinity, 1.5]}', '{"a": null, "b": [null, null, 1.5]}'),
        ("NaN is not a number", "NaN is not a number"),
        ("a\x00b\ud800c", "ab\ufffdc"),
        ("\ud83d\ude00", "😀"),
    ],
)
async def test_what_stores_and_providers_refuse_is_taken_out(output: str, told: str) -> None:
    assert (await call(registered(giving(output)))).content == told


async def test_a_successful_write_is_known_to_have_happened() -> None:
    assert (await call(registered(risk=Risk.LOW))).effect is ToolEffect.COMMITTED
    assert (await call(registered(risk=Risk.SAFE))).effect is ToolEffect.NONE
