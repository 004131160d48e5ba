"""Tools that a model service would refuse are known before they are sent."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from tools.builtin.calculator import CALCULATOR
from tools.definition import ToolDefinition
from tools.definition_check import fault_of
from tools.registry import builtin_tools


def with_parameters(parameters: Any) -> ToolDefinition:
    return replace(CALCULATOR.definition, parameters=parameters)


def a_property(schema: Any) -> Mapping[str, Any]:
    return {"type": "object", "properties": {"city": schema}}


@pytest.mark.parametrize("definition", [tool.definition for tool in builtin_tools()])
def test_the_tools_of_the_house_are_sound(definition: ToolDefinition) -> None:
    assert fault_of(definition) == ""


@pytest.mark.parametrize(
    ("parameters", "told"),
    [
        (a_property({"type": "town"}), "$.properties.city.type"),
        (a_property("a city"), "$.properties.city"),
        (a_property({"type": "string", "pattern": "["}), "$.properties.city.pattern"),
        (a_property({"enum": "Paris"}), "$.properties.city.enum"),
        ({"type": "object", "required": "city"}, "$.required"),
        ({"type": "string"}, "of type object"),
        (["city"], "of type object"),
        (a_property({"default": {1, 2}}), "not JSON"),
        (a_property({"default": float("nan")}), "not JSON"),
    ],
)
def test_parameters_that_are_no_schema_are_told_where_they_fail(parameters: Any, told: str) -> None:
    assert told in fault_of(with_parameters(parameters))


@pytest.mark.parametrize("name", ["", "two words", "emoji🙂", "x" * 65, "a.b", "a\n"])
def test_a_name_that_services_refuse_is_a_fault(name: str) -> None:
    assert "name" in fault_of(replace(CALCULATOR.definition, name=name))


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"type": "object"},
        {
            "type": "object",
            "$defs": {"a": {"type": "string"}},
            "properties": {"x": {"$ref": "#/$defs/a"}},
        },
    ],
    ids=["empty", "no properties", "reference"],
)
def test_small_schemas_are_sound(parameters: Mapping[str, Any]) -> None:
    assert fault_of(with_parameters(parameters)) == ""
