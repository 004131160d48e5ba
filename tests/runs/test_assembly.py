"""What a run is given, and when a change of the configuration reaches it."""

import logging
from dataclasses import replace
from uuid import UUID

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.conversations.models import Message
from apps.runs import assembly
from apps.runs.database import in_database
from apps.studio.models import App
from apps.toolbox.models import Tool
from tests.fakes.upstream import text
from tests.runs.conftest import Bench
from tools.builtin.calculator import CALCULATOR
from tools.definition import RegisteredTool

READ_FOR_A_RUN = (
    "conversation__app",
    "app_config__model__provider",
    "app_config__auxiliary_model__provider",
)


def offered(bench: Bench) -> list[str]:
    """The names of the tools in the last request."""
    body = bench.upstream.of_purpose("answer")[-1].body
    return [tool["function"]["name"] for tool in body.get("tools", [])]


async def test_a_tool_switched_on_after_the_first_run_is_offered_in_the_next(bench: Bench) -> None:
    await in_database(Tool.objects.update, is_enabled=False)
    await bench.answer("Hello?")
    assert offered(bench) == []
    await in_database(Tool.objects.filter(name="calculator").update, is_enabled=True)
    await bench.answer("Hello again?")
    assert offered(bench) == ["calculator"]
    await in_database(Tool.objects.update, is_enabled=False)
    await bench.answer("And now?")
    assert offered(bench) == []


async def test_an_app_that_was_renamed_knows_its_new_name_in_the_next_run(bench: Bench) -> None:
    await bench.answer("Who are you?")
    await in_database(App.objects.filter(pk=bench.app.pk).update, name="Zanzibar")
    await bench.answer("And now?")
    before, after = (one.messages[0]["content"] for one in bench.upstream.of_purpose("answer"))
    assert "Helper" in before
    assert "Zanzibar" in after
    assert "Helper" not in after


@pytest.mark.parametrize(("tools", "expected"), [([], 0), (["calculator"], 1)])
async def test_an_app_without_tools_costs_no_statement_for_tools(
    bench: Bench, tools: list[str], expected: int
) -> None:
    await bench.configure(tools=tools)
    message = await bench.answer("Hello?")
    assert await in_database(statements_for_tools, message.pk) == expected


def statements_for_tools(pk: UUID) -> int:
    message = Message.objects.select_related(*READ_FOR_A_RUN).get(pk=pk)
    with CaptureQueriesContext(connection) as seen:
        assembly.assemble(message)
    return sum("appconfigtool" in query["sql"] for query in seen.captured_queries)


def broken_tool() -> RegisteredTool:
    parameters = {"type": "object", "properties": {"city": {"type": "town"}}}
    definition = replace(CALCULATOR.definition, name="weather", parameters=parameters)
    return replace(CALCULATOR, definition=definition)


async def test_a_tool_with_a_broken_schema_is_left_out_with_a_reason_and_the_others_work(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    broken = broken_tool()
    monkeypatch.setattr(assembly, "builtin_tools", lambda: (CALCULATOR, broken))
    await in_database(
        Tool.objects.create,
        name="weather",
        source="builtin",
        description="Tells the weather.",
        risk="safe",
    )
    await bench.configure(tools=["weather", "calculator"])
    bench.upstream.script(text("Hi."))
    with caplog.at_level(logging.WARNING, logger=assembly.__name__):
        message = await bench.answer("Hello?")
    assert (message.status, offered(bench)) == ("normal", ["calculator"])
    (notice,) = [step for step in await bench.steps(message) if step.code == "tool_dropped"]
    assert "'weather'" in notice.observation
    assert "$.properties.city.type" in notice.observation
    assert "weather" in caplog.text
