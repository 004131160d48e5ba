"""Arguments as models write them: one JSON object, or a problem that the model is told."""

import json
from typing import Any, NoReturn


class ArgumentsProblem(ValueError):
    """What was written is not one JSON object; the message is for the model to read."""


def parse_arguments(raw: str) -> dict[str, Any]:
    """The object that `raw` holds; blank text is no arguments (providers send it for tools without any).

    Raises ArgumentsProblem for everything else: broken or cut JSON, a string, a list, null, a number, NaN.
    """
    text = raw.strip()
    if not text:
        return {}
    parsed, end = read_object(text)
    if end != len(text):
        raise ArgumentsProblem(
            f"The arguments have text after the JSON object, at character {end}."
        )
    return parsed


def read_object(text: str, start: int = 0) -> tuple[dict[str, Any], int]:
    """The JSON object that begins at `start`, and where it ends. Raises ArgumentsProblem."""
    try:
        parsed, end = _DECODER.raw_decode(text, start)
    except ArgumentsProblem:
        raise
    except (ValueError, RecursionError) as error:
        raise ArgumentsProblem(f"The arguments are not valid JSON: {error}") from error
    if not isinstance(parsed, dict):
        shown = json.dumps(parsed, ensure_ascii=False)[:80]
        raise ArgumentsProblem(f"The arguments must be a JSON object, not {shown}")
    return parsed, end


def _refuse_constant(name: str) -> NoReturn:
    raise ArgumentsProblem(f"The arguments hold {name}, which is not JSON.")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)
