"""Arithmetic that a model should not do in its head."""

from tools.builtin.arithmetic import MAX_LENGTH, ArithmeticProblem, Number, evaluate
from tools.definition import (
    ArgumentsObject,
    RegisteredTool,
    ToolDefinition,
    ToolExecutionContext,
    ToolFault,
    ToolSource,
)


async def calculate(arguments: ArgumentsObject, context: ToolExecutionContext) -> str:
    """The value of the expression, as text."""
    try:
        return write_number(evaluate(arguments["expression"]))
    except ArithmeticProblem as problem:
        raise ToolFault("no_result", str(problem)) from problem


def write_number(value: Number) -> str:
    """Integers in full, floats to the 15 digits that are certain: 0.1 + 0.2 is 0.3."""
    return str(value) if isinstance(value, int) else format(value, ".15g")


CALCULATOR = RegisteredTool(
    definition=ToolDefinition(
        name="calculator",
        description=(
            "Computes an arithmetic expression exactly. Knows + - * / // % ** and parentheses; sqrt, sin, cos, "
            "tan (radians), log (natural, or log(x, base)), ln, exp, abs, round, min, max, floor, ceil; pi and e."
        ),
        parameters={
            "type": "object",
            "properties": {
                "expression": {
                    "type": "string",
                    "maxLength": MAX_LENGTH,
                    "description": "For example '(3 + 4) * 2 ** 10' or 'sqrt(2)'.",
                }
            },
            "required": ["expression"],
            "additionalProperties": False,
        },
        source=ToolSource.BUILTIN,
        source_id="calculator",
        is_parallel_safe=True,
        is_idempotent=True,
        timeout=5.0,
    ),
    handler=calculate,
)
