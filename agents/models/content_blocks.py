"""Content that comes as blocks instead of text."""

from typing import Any

THOUGHTS = frozenset({"thinking", "reasoning"})
TEXT_KEYS = ("text", "thinking", "summary", "content")


def is_thought(block: Any) -> bool:
    """Whether a content block is the model's reasoning."""
    return isinstance(block, dict) and block.get("type") in THOUGHTS


def text_of(content: Any) -> str:
    """The text of a string, a block, or a list of blocks; blocks may hold blocks. Anything else has none."""
    match content:
        case str():
            return content
        case list():
            return "".join(map(text_of, content))
        case dict():
            return next((text for key in TEXT_KEYS if (text := text_of(content.get(key)))), "")
    return ""
