"""The tools that come with the product."""

from tools.builtin.calculator import CALCULATOR
from tools.builtin.current_time import CURRENT_TIME
from tools.definition import RegisteredTool


def builtin_tools() -> tuple[RegisteredTool, ...]:
    """Every built-in tool, sorted by name."""
    return (CALCULATOR, CURRENT_TIME)
