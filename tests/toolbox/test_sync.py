"""The catalogue follows the code, and what operators chose stays."""

import pytest

from apps.toolbox.models import Tool
from apps.toolbox.sync import sync_tools
from tools.definition import ToolSource
from tools.registry import builtin_tools

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _synced_before() -> None:
    sync_tools()


def test_the_catalogue_holds_every_builtin_tool() -> None:
    names = [tool.definition.name for tool in builtin_tools()]
    assert list(Tool.objects.order_by("name").values_list("name", flat=True)) == names


def test_a_row_says_what_the_definition_says() -> None:
    for tool in builtin_tools():
        row = Tool.objects.get(name=tool.definition.name)
        assert row.parameters == tool.definition.parameters
        assert row.schema_hash == tool.definition.schema_hash
        assert (row.source, row.risk) == ("builtin", "safe")


@pytest.mark.parametrize(
    ("column", "choice"), [("is_enabled", False), ("is_managed", True), ("timeout", 1.5)]
)
def test_a_choice_of_the_operator_survives_a_sync(column: str, choice: object) -> None:
    Tool.objects.filter(name="calculator").update(**{column: choice, "schema_hash": "old"})
    sync_tools()
    row = Tool.objects.get(name="calculator")
    assert getattr(row, column) == choice
    assert row.schema_hash != "old"


def test_a_changed_description_is_brought_in_step() -> None:
    Tool.objects.filter(name="calculator").update(description="old words")
    sync_tools()
    assert "arithmetic" in Tool.objects.get(name="calculator").description


def test_a_tool_whose_code_is_gone_becomes_missing_and_is_kept() -> None:
    gone = Tool.objects.create(
        name="abacus", source=ToolSource.BUILTIN, description="", risk="safe"
    )
    sync_tools()
    gone.refresh_from_db()
    assert gone.is_missing


def test_a_tool_that_comes_back_is_no_longer_missing() -> None:
    Tool.objects.filter(name="calculator").update(is_missing=True, is_enabled=False)
    sync_tools()
    row = Tool.objects.get(name="calculator")
    assert (row.is_missing, row.is_enabled) == (False, False)


def test_a_catalogue_in_step_is_left_alone() -> None:
    before = list(Tool.objects.order_by("pk").values())
    sync_tools()
    assert list(Tool.objects.order_by("pk").values()) == before
