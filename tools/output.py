"""What a tool gave, made fit for a model and for a store."""

import json
import math

from tools.plain_text import clean_text

MAX_CHARACTERS = 100_000


def cap_output(text: str, *, limit: int = MAX_CHARACTERS) -> tuple[str, bool]:
    """At most `limit` characters, the last of which say that something was cut; and whether it was."""
    if len(text) <= limit:
        return text, False
    mark = f"\n[cut: the output has {len(text):,} characters, these are the first]"
    return text[: limit - len(mark)] + mark, True


def make_storable(text: str) -> str:
    """Clean text; where it is JSON that holds NaN or Infinity, those are null."""
    text = clean_text(text)
    if not any(token in text for token in ("NaN", "Infinity")):
        return text
    try:
        parsed = json.loads(text, parse_constant=lambda _: None, parse_float=_finite_or_none)
    except (ValueError, RecursionError):
        return text
    return json.dumps(parsed, ensure_ascii=False)


def _finite_or_none(digits: str) -> float | None:
    value = float(digits)
    return value if math.isfinite(value) else None
