"""Evaluates arithmetic without `eval`: a walk over the parsed expression that knows numbers only.

Every bound is checked before the work it bounds, so that no expression takes noticeable time or memory.
"""

import ast
import math
import operator
from collections.abc import Callable, Mapping
from typing import NoReturn

Number = int | float

MAX_LENGTH = 500
MAX_DEPTH = 50
MAX_BITS = 10_000
MAX_ROUND_DIGITS = 100


class ArithmeticProblem(ValueError):
    """Why an expression has no value, in words for whoever wrote it."""


def evaluate(expression: str) -> Number:
    """The value of `expression`: a finite float, or an integer of at most MAX_BITS bits.

    Knows + - * / // % ** and parentheses, the names in CONSTANTS and the functions in FUNCTIONS. Raises
    ArithmeticProblem.
    """
    try:
        return _value_of(_parse(expression), depth=0)
    except ArithmeticProblem:
        raise
    except ZeroDivisionError as error:
        raise ArithmeticProblem("Division by zero.") from error
    except OverflowError as error:
        raise ArithmeticProblem("The result is too large.") from error
    except (ValueError, TypeError) as error:
        raise ArithmeticProblem(f"The expression has no real value: {error}.") from error


def _parse(expression: str) -> ast.expr:
    if len(expression) > MAX_LENGTH:
        raise ArithmeticProblem(f"The expression is longer than {MAX_LENGTH} characters.")
    try:
        return ast.parse(expression.strip().translate(_SIGNS), mode="eval").body
    except (SyntaxError, ValueError, MemoryError, RecursionError) as error:
        raise ArithmeticProblem(f"{expression[:80]!r} is not an arithmetic expression.") from error


def _value_of(node: ast.expr, *, depth: int) -> Number:
    if depth > MAX_DEPTH:
        raise ArithmeticProblem("The expression is nested too deep.")
    match node:
        case ast.Constant(value=value) if type(value) in (int, float):
            return _bounded(value)
        case ast.Name(id=name) if name in CONSTANTS:
            return CONSTANTS[name]
        case ast.UnaryOp(op=sign, operand=operand) if type(sign) in _UNARY:
            return _UNARY[type(sign)](_value_of(operand, depth=depth + 1))
        case ast.BinOp(left=left, op=sign, right=right) if type(sign) in _BINARY:
            sides = (_value_of(left, depth=depth + 1), _value_of(right, depth=depth + 1))
            return _bounded(_BINARY[type(sign)](*sides))
        case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
            return _bounded(FUNCTIONS[name](*[_value_of(arg, depth=depth + 1) for arg in args]))
    return _refuse(node)


def _refuse(node: ast.expr) -> NoReturn:
    match node:
        case ast.BinOp(op=ast.BitXor()):
            raise ArithmeticProblem("'^' is not known. Write powers with '**'.")
        case ast.Name(id=name) | ast.Call(func=ast.Name(id=name)):
            known = ", ".join(sorted([*CONSTANTS, *FUNCTIONS]))
            raise ArithmeticProblem(f"{name!r} is not known here. Known names: {known}.")
    raise ArithmeticProblem(f"{ast.unparse(node)[:80]!r} is not arithmetic.")


def _bounded(value: object) -> Number:
    if isinstance(value, int):
        if value.bit_length() > MAX_BITS:
            raise OverflowError
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if isinstance(value, float):
        raise OverflowError
    raise ArithmeticProblem("The result is not a real number.")


def _power(base: Number, exponent: Number) -> object:
    is_whole = isinstance(base, int) and isinstance(exponent, int)
    if is_whole and abs(base) > 1 and int(base).bit_length() * exponent > MAX_BITS:
        raise OverflowError
    return base**exponent


def _round(value: Number, digits: Number = 0) -> Number:
    if not isinstance(digits, int) or abs(digits) > MAX_ROUND_DIGITS:
        raise ArithmeticProblem(f"round() takes whole digits up to {MAX_ROUND_DIGITS}.")
    return round(value, digits) if digits else round(value)


def _smallest(*values: Number) -> Number:
    return min(values)


def _largest(*values: Number) -> Number:
    return max(values)


CONSTANTS: Mapping[str, float] = {"pi": math.pi, "e": math.e}
FUNCTIONS: Mapping[str, Callable[..., Number]] = {
    "sqrt": math.sqrt,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "log": math.log,
    "ln": math.log,
    "exp": math.exp,
    "abs": abs,
    "round": _round,
    "min": _smallest,
    "max": _largest,
    "floor": math.floor,
    "ceil": math.ceil,
}
_UNARY: Mapping[type[ast.unaryop], Callable[[Number], Number]] = {
    ast.UAdd: operator.pos,
    ast.USub: operator.neg,
}
_BINARY: Mapping[type[ast.operator], Callable[[Number, Number], object]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: operator.mod,
    ast.Pow: _power,
}
_SIGNS = str.maketrans({"×": "*", "·": "*", "÷": "/", "−": "-", "π": "pi"})
