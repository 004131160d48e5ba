"""The built-in tools through the gate, as a model meets them."""

import json
import time
from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from tools.definition import ToolExecutionContext, ToolResult, ToolStatus
from tools.execution import ToolGate
from tools.registry import builtin_tools


async def call(name: str, arguments: Mapping[str, Any], *, zone: str = "UTC") -> ToolResult:
    context = ToolExecutionContext(task_id="t", caller_id="c", time_zone=zone)
    gate = ToolGate(builtin_tools())
    return await gate.call(name=name, arguments=arguments, problem="", context=context)


def test_builtin_tools_are_sorted_and_well_formed() -> None:
    names = [tool.definition.name for tool in builtin_tools()]
    assert names == sorted(names)
    for tool in builtin_tools():
        Draft202012Validator.check_schema(dict(tool.definition.parameters))
        assert len(tool.definition.description) <= 1024


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("1 + 1", "2"),
        ("2 + 3 * 4", "14"),
        ("(2 + 3) * 4", "20"),
        ("-2 ** 2", "-4"),
        ("7 / 2", "3.5"),
        ("7 // 2", "3"),
        ("-7 % 3", "2"),
        ("0.1 + 0.2", "0.3"),
        ("4.0", "4"),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("10 ** -2", "0.01"),
        ("1e3", "1000"),
        ("sqrt(16)", "4"),
        ("sin(pi / 2)", "1"),
        ("cos(0)", "1"),
        ("tan(0)", "0"),
        ("log(e)", "1"),
        ("log(8, 2)", "3"),
        ("ln(exp(2))", "2"),
        ("abs(-3)", "3"),
        ("round(2.567, 2)", "2.57"),
        ("round(2.4)", "2"),
        ("min(3, 1, 2)", "1"),
        ("max(3, 1, 2)", "3"),
        ("floor(2.9)", "2"),
        ("ceil(2.1)", "3"),
        ("3 × 4 ÷ 2 − 1", "5"),
        ("  1\t+ 1\n", "2"),
    ],
)
async def test_an_expression_has_its_value(expression: str, value: str) -> None:
    result = await call("calculator", {"expression": expression})
    assert (result.status, result.content) == (ToolStatus.SUCCESS, value)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        ("9**9**9", "too large"),
        ("9**9**9**9**9", "too large"),
        ("(2**9999)**2", "too large"),
        ("2**9999 * 2**9999", "too large"),
        ("1e308 * 10", "too large"),
        ("1e999", "too large"),
        ("10.0 ** 400", "too large"),
        ("exp(1000)", "too large"),
        ("round(5, -10**9)", "round()"),
        ("1 / 0", "Division by zero"),
        ("1 % 0", "Division by zero"),
        ("0 ** -1", "Division by zero"),
        ("sqrt(-1)", "no real value"),
        ("(-1) ** 0.5", "not a real number"),
        ("log(0)", "no real value"),
        ("min()", "no real value"),
        ("sqrt(1, 2)", "no real value"),
        ("2 ^ 3", "'**'"),
        ("x + 1", "'x' is not known"),
        ("open('/etc/passwd')", "'open' is not known"),
        ("__import__('os')", "'__import__' is not known"),
        ("().__class__", "not arithmetic"),
        ("(1).__class__", "not arithmetic"),
        ("sqrt.__globals__", "not arithmetic"),
        ("'a' * 9", "not arithmetic"),
        ("True + 1", "not arithmetic"),
        ("1j", "not arithmetic"),
        ("[1][0]", "not arithmetic"),
        ("lambda: 1", "not arithmetic"),
        ("1 if 1 else 2", "not arithmetic"),
        ("1 < 2", "not arithmetic"),
        ("min(*[1, 2])", "not arithmetic"),
        ("round(1, ndigits=2)", "not known"),
        ("1 << 9999", "not arithmetic"),
        ("", "not an arithmetic expression"),
        ("1 +", "not an arithmetic expression"),
        ("1\x002", "not an arithmetic expression"),
        ("a = 1", "not an arithmetic expression"),
        ("(" * 240 + "1" + ")" * 240, "not an arithmetic expression"),
        ("-" * 400 + "1", "nested too deep"),
        ("abs(" * 60 + "1" + ")" * 60, "nested too deep"),
        ("1" * 501, "too long"),
    ],
)
async def test_an_expression_without_a_value_says_why_and_quickly(
    expression: str, reason: str
) -> None:
    started = time.monotonic()
    result = await call("calculator", {"expression": expression})
    assert result.status is ToolStatus.ERROR
    assert reason in result.content
    assert time.monotonic() - started < 0.5


async def test_the_clock_tells_the_time_of_the_user_by_default() -> None:
    told = json.loads((await call("current_time", {}, zone="Asia/Shanghai")).content)
    assert told["time_zone"] == "Asia/Shanghai"
    assert datetime.fromisoformat(told["time"]).utcoffset() == timedelta(hours=8)


async def test_the_clock_tells_the_time_anywhere() -> None:
    told = json.loads((await call("current_time", {"time_zone": "Asia/Kolkata"})).content)
    time_there = datetime.fromisoformat(told["time"])
    assert time_there.utcoffset() == timedelta(hours=5, minutes=30)
    assert abs(time_there - datetime.now(time_there.tzinfo)) < timedelta(seconds=5)
    assert told["weekday"] == f"{time_there:%A}"


@pytest.mark.parametrize(
    "zone", ["Beijing", "", "../../etc/passwd", "/etc/localtime", "Europe", "\x00"]
)
async def test_an_unknown_time_zone_is_named(zone: str) -> None:
    result = await call("current_time", {"time_zone": zone})
    assert result.error is not None
    assert result.error.code == "unknown_time_zone"
    assert "Europe/Berlin" in result.error.message
