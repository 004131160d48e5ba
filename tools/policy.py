"""Whether a call may run: the rules in their order, first hit wins, each with a code."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match
from referencing import Registry

from tools.definition import Risk, ToolDefinition
from tools.plain_text import shorten

MAX_NAMES_TOLD = 40


class DecisionCode(StrEnum):
    """Why a call may or may not run, in the order in which it is asked."""

    BLANK_NAME = "blank_name"
    UNKNOWN_TOOL = "unknown_tool"
    DISABLED = "disabled"
    NOT_IN_APP = "not_in_app"
    FORBIDDEN = "forbidden"
    NEEDS_PERMIT = "needs_permit"
    INVALID_ARGUMENTS = "invalid_arguments"
    ALLOWED = "allowed"


@dataclass(frozen=True, kw_only=True)
class Decision:
    """The gate's word on one call; `text` is for the model."""

    code: DecisionCode
    text: str = ""

    @property
    def allowed(self) -> bool:
        return self.code is DecisionCode.ALLOWED


def decide(
    name: str,
    *,
    arguments: Mapping[str, Any] | None,
    problem: str,
    offered: Mapping[str, ToolDefinition],
    catalogue: Collection[str] = (),
) -> Decision:
    """Judge a call to `name`. `offered` are the tools of the App, `catalogue` the names of all tools.

    Arguments of None are ones that could not be read; `problem` then says why. Nothing in the arguments can
    widen what is allowed.
    """
    if not name.strip():
        return Decision(code=DecisionCode.BLANK_NAME, text="A tool call needs the name of a tool.")
    definition = offered.get(name)
    if definition is None:
        return _refuse_unoffered(name, offered=offered, catalogue=catalogue)
    return (
        _refuse_by_definition(definition)
        or _refuse_arguments(definition, arguments=arguments, problem=problem)
        or Decision(code=DecisionCode.ALLOWED)
    )


def _refuse_unoffered(
    name: str, *, offered: Mapping[str, ToolDefinition], catalogue: Collection[str]
) -> Decision:
    usable = sorted(tool.name for tool in offered.values() if tool.is_enabled)
    told = ", ".join(usable[:MAX_NAMES_TOLD]) or "none"
    shown = repr(shorten(name, 64))
    if name in catalogue:
        text = f"The tool {shown} is not part of this App. Available tools: {told}."
        return Decision(code=DecisionCode.NOT_IN_APP, text=text)
    text = f"There is no tool {shown}. Available tools: {told}."
    return Decision(code=DecisionCode.UNKNOWN_TOOL, text=text)


def _refuse_by_definition(definition: ToolDefinition) -> Decision | None:
    if not definition.is_enabled:
        text = f"The tool {definition.name!r} is switched off on this site. Answer without it."
        return Decision(code=DecisionCode.DISABLED, text=text)
    if definition.risk is Risk.FORBIDDEN:
        text = f"The tool {definition.name!r} may never be called. Answer without it."
        return Decision(code=DecisionCode.FORBIDDEN, text=text)
    if definition.is_managed or definition.risk is Risk.HIGH:
        text = (
            f"The tool {definition.name!r} needs a person's permit, and none was given. "
            "Answer without it and say what you could not do."
        )
        return Decision(code=DecisionCode.NEEDS_PERMIT, text=text)
    return None


def _refuse_arguments(
    definition: ToolDefinition, *, arguments: Mapping[str, Any] | None, problem: str
) -> Decision | None:
    if arguments is None:
        text = problem or "The arguments must be one JSON object."
        return Decision(code=DecisionCode.INVALID_ARGUMENTS, text=text)
    # An empty registry: jsonschema's own would fetch a remote $ref over the network.
    validator = Draft202012Validator(dict(definition.parameters), registry=Registry())
    fault = best_match(validator.iter_errors(dict(arguments)))
    if fault is None:
        return None
    text = f"Wrong arguments for {definition.name!r}, at {fault.json_path}: {fault.message}"
    return Decision(code=DecisionCode.INVALID_ARGUMENTS, text=text)
