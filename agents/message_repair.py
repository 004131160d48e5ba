"""Repairs of single messages for `history.py`; each returns its input when nothing is wrong with it."""

import math
import re
from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from langchain_core.messages import AIMessage, BaseMessage, ToolCall, ToolMessage

from agents.models.arguments import read_arguments
from tools.plain_text import clean_text

UNNAMED = "unnamed_tool"

M = TypeVar("M", bound=BaseMessage)


def clean_message(message: M) -> M:
    """Without characters, numbers and names that providers refuse (H6, H7, H8)."""
    changes: dict[str, Any] = {
        "content": clean_value(message.content),
        "additional_kwargs": clean_value(message.additional_kwargs),
    }
    if isinstance(message, AIMessage):
        changes["tool_calls"] = _same_or_new(
            message.tool_calls, [_clean_call(call) for call in message.tool_calls]
        )
    if isinstance(message, ToolMessage):
        changes["name"] = clean_name(message.name) if message.name else message.name
        changes["tool_call_id"] = clean_text(message.tool_call_id)
    if all(getattr(message, field) is value for field, value in changes.items()):
        return message
    return message.model_copy(update=changes)


def clean_value(value: Any) -> Any:
    """JSON that can be written and sent: clean strings, NaN and Infinity as null. Itself when it is that."""
    match value:
        case str():
            return clean_text(value)
        case float() if not math.isfinite(value):
            return None
        case Mapping():
            cleaned = {clean_text(str(key)): clean_value(one) for key, one in value.items()}
            is_same = all(value.get(key, _MISSING) is one for key, one in cleaned.items())
            return value if is_same else cleaned
        case list():
            return _same_or_new(value, [clean_value(one) for one in value])
    return value


def clean_name(name: str) -> str:
    """A tool name as providers allow it."""
    return name if _NAME.fullmatch(name) else _UNNAMEABLE.sub("_", name)[:64] or UNNAMED


def read_invalid_calls(message: AIMessage) -> AIMessage:
    """LangChain keeps calls with unreadable arguments apart; here they are calls like the others."""
    calls = [
        ToolCall(
            name=call.get("name") or UNNAMED,
            args=dict(read_arguments(call.get("args") or "").content or {}),
            id=call.get("id"),
            type="tool_call",
        )
        for call in message.invalid_tool_calls
    ]
    return replace_calls(message, [*message.tool_calls, *calls])


def replace_calls(message: AIMessage, calls: Sequence[ToolCall]) -> AIMessage:
    """`message` with these calls and no other trace of its earlier ones."""
    kept = {key: value for key, value in message.additional_kwargs.items() if key != "tool_calls"}
    return message.model_copy(
        update={"tool_calls": list(calls), "invalid_tool_calls": [], "additional_kwargs": kept}
    )


def has_content(message: BaseMessage) -> bool:
    """Whether something stands in the content: text that is not blank, or a block that is not text."""
    if isinstance(message.content, str):
        return bool(message.content.strip())
    return any(_block_says_something(block) for block in message.content)


def merge_messages(messages: Sequence[BaseMessage]) -> BaseMessage:
    """Neighbours of one role as one message, in order; a single one as it is."""
    first = messages[0]
    if len(messages) == 1:
        return first
    changes: dict[str, Any] = {
        "content": _join_contents([message.content for message in messages]),
        "additional_kwargs": {
            key: value for message in messages for key, value in message.additional_kwargs.items()
        },
    }
    if isinstance(first, AIMessage):
        calls = [call for message in messages for call in getattr(message, "tool_calls", [])]
        changes["tool_calls"] = calls
    return first.model_copy(update=changes)


def _clean_call(call: ToolCall) -> ToolCall:
    name, arguments = clean_name(call["name"]), clean_value(call["args"])
    call_id = clean_text(call["id"]) if call["id"] else call["id"]
    if name is call["name"] and arguments is call["args"] and call_id is call["id"]:
        return call
    return ToolCall(name=name, args=arguments, id=call_id, type="tool_call")


def _same_or_new(old: list[Any], new: list[Any]) -> list[Any]:
    return old if all(one is other for one, other in zip(old, new, strict=True)) else new


def _join_contents(contents: Sequence[str | list[Any]]) -> str | list[Any]:
    if all(isinstance(content, str) for content in contents):
        return "\n\n".join(str(content) for content in contents if content)
    blocks: list[Any] = []
    for content in contents:
        if isinstance(content, list):
            blocks.extend(content)
        elif content:
            blocks.append({"type": "text", "text": content})
    return blocks


def _block_says_something(block: str | Mapping[str, Any]) -> bool:
    if isinstance(block, str):
        return bool(block.strip())
    return block.get("type") != "text" or bool(str(block.get("text", "")).strip())


_MISSING = object()
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_UNNAMEABLE = re.compile(r"[^a-zA-Z0-9_-]")
