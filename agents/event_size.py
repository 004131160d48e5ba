"""How large one event may be: long texts are cut to fit, their rows keep the whole (open-webui#25975).

Sizes are bytes of JSON in UTF-8, which is what is sent.
"""

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from typing import Any

LARGEST_EVENT = 256 * 1024
# At most two texts of an event are long; all the rest of it is small.
LARGEST_TEXT = (LARGEST_EVENT - 16 * 1024) // 2
LARGEST_CHARACTER = len(r"\u0001")
LARGEST_NOTE = 64


def size_of(content: Any) -> int:
    """Bytes of JSON content."""
    return len(json.dumps(content, ensure_ascii=False).encode())


def cut_text(text: str, limit: int = LARGEST_TEXT) -> str:
    """`text`, or as much of its start as fits into `limit` bytes with a note on what is missing."""
    if len(text) * LARGEST_CHARACTER < limit or size_of(text) <= limit:
        return text
    room = max(limit - LARGEST_NOTE, size_of(""))
    lengths = range(min(len(text), room) + 1)
    kept = bisect_right(lengths, room, key=lambda length: size_of(text[:length])) - 1
    return f"{text[:kept]}\n… ({len(text) - kept} more characters in the step)"


def cut_messages(
    messages: Sequence[Mapping[str, Any]], limit: int = LARGEST_TEXT
) -> list[dict[str, Any]]:
    """The messages; where they are larger than `limit` together, each gets an equal share."""
    if size_of([*map(dict, messages)]) <= limit:
        return [dict(message) for message in messages]
    share = limit // len(messages)
    return [_cut_message(dict(message), share) for message in messages]


def _cut_message(message: dict[str, Any], limit: int) -> dict[str, Any]:
    """A message that is too large, with as much of its text as fits; its calls are told as text."""
    if size_of(message) <= limit:
        return message
    kept = {key: one for key, one in message.items() if key not in {"content", "tool_calls"}}
    is_text = isinstance(message["content"], str) and "tool_calls" not in message
    said = message["content"] if is_text else json.dumps(message, ensure_ascii=False)
    return {**kept, "content": cut_text(said, limit - size_of({**kept, "content": ""}))}
