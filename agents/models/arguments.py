"""The arguments of a tool call, from what a model wrote."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from tools.plain_text import clean_text

ADVICE = "Send the arguments again as one complete JSON object."
CONTROL = re.compile(r"[\x00-\x1f]")
KINDS = {
    list: "an array",
    str: "a string",
    bool: "true or false",
    int: "a number",
    float: "a number",
}


@dataclass(frozen=True, kw_only=True)
class ToolArguments:
    """The object, and its JSON text; or no object, the text as it came, and the problem for the model."""

    text: str
    content: Mapping[str, Any] | None
    problem: str = ""


def read_arguments(text: str) -> ToolArguments:
    """Parse what came as arguments. Nothing and null are the empty object; JSON inside a JSON string is
    unpacked once; nothing is repaired.
    """
    safe = clean_text(text)
    try:
        content = _parse(safe)
        unpacked = _parse(content) if isinstance(content, str) else content
        if isinstance(unpacked, dict):
            return _accept(unpacked, safe.strip())
    except (ValueError, RecursionError) as error:
        problem = f"The arguments are not valid JSON ({error}). {ADVICE}"
    else:
        problem = f"The arguments are {KINDS[type(unpacked)]}, not a JSON object. {ADVICE}"
    return ToolArguments(text=safe, content=None, problem=problem)


def _parse(text: str) -> Any:
    """JSON, where literal line breaks inside strings are let pass and NaN is not."""
    if not text.strip():
        return {}
    content = json.loads(text, strict=False, parse_constant=_refuse_constant)
    return {} if content is None else content


def _accept(content: dict[str, Any], text: str) -> ToolArguments:
    """The text as it came where it is strict JSON of this object, else written anew."""
    clean = _clean(content)
    is_strict = text.startswith("{") and not CONTROL.search(text) and clean == content
    text = text if is_strict else json.dumps(clean, ensure_ascii=False)
    return ToolArguments(text=text, content=clean)


def _clean(value: Any) -> Any:
    match value:
        case str():
            return clean_text(value)
        case list():
            return [_clean(one) for one in value]
        case dict():
            return {clean_text(key): _clean(one) for key, one in value.items()}
    return value


def _refuse_constant(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not JSON")
