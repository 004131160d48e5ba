"""The ReAct protocol: a tool call written as text, for models without native calls.

Only output that *starts* with a fence (untagged or tagged json) or with `<tool_call>` can be a call; JSON inside
an ordinary answer never runs (dify-official-plugins#3861). Accepted objects:

    {"name": tool, "args": {…}}        also "arguments", as models trained on native calls write it
    {"tool_call": {…one of these…}}
    {"action": tool, "action_input": {…}}
"""

import hashlib
import json
import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from agents.models.inference import ToolCallRequest
from tools.plain_text import clean_text


class UnreadableCall(ValueError):  # noqa: N818 -- the output stays a plain message
    """An output that begins like a call but is not one."""


@dataclass(frozen=True, kw_only=True)
class ReactOutcome:
    """How a model's output ended.

    `text` is what was held back and may be shown now. With a call it is empty: the call was swallowed, and so
    was everything after it. `parse_failed` says that a call was begun but cannot be read; it stays plain text.
    """

    text: str
    call: ToolCallRequest | None = None
    parse_failed: bool = False


class ReactStream:
    """Splits one model output, as it comes, into text to show and at most one tool call.

    `position` is the number of calls that the run made before: it keeps the ids of equal calls apart.
    """

    def __init__(self, tool_names: Collection[str], *, position: int = 0) -> None:
        self._tool_names = frozenset(tool_names)
        self._position = position
        self._held = ""
        self._searched = 0
        self._is_open = False
        self._is_plain = False
        self._parse_failed = False
        self._call: ToolCallRequest | None = None

    def feed(self, text: str) -> str:
        """What of the output so far may be shown now and was not shown before (dify#9032)."""
        if self._is_plain:
            return text
        if self._call:
            return ""
        self._held += text
        if self._is_open or may_become_call(self._held):
            self._is_open = self._is_open or _OPENING.match(self._held) is not None
            if not self._is_closed():
                return ""
        return self._decide()

    def finish(self) -> ReactOutcome:
        """The output is over."""
        text = "" if self._is_plain or self._call else self._decide()
        return ReactOutcome(text=text, call=self._call, parse_failed=self._parse_failed)

    def _is_closed(self) -> bool:
        """Whether a whole object stands in the fence. Looked at only where a fence may have closed."""
        searched, self._searched = self._searched, max(0, len(self._held) - _LONGEST_FENCE)
        if not self._is_open or not _FENCE.search(self._held, searched):
            return False
        opening = _OPENING.match(self._held)
        return opening is not None and _ends_in_fence(self._held, opening.end())

    def _decide(self) -> str:
        try:
            self._call = read_call(self._held, self._tool_names, position=self._position)
        except UnreadableCall:
            self._parse_failed = True
        self._is_plain = self._call is None
        return self._held if self._is_plain else ""


def read_call(
    text: str, tool_names: Collection[str], *, position: int = 0
) -> ToolCallRequest | None:
    """The call that a whole output is, or None for an ordinary answer.

    Raises UnreadableCall when a call was begun but is broken.
    """
    opening = _OPENING.match(text)
    if opening is None:
        if _TAG.match(text):
            raise UnreadableCall("A <tool_call> must hold a JSON object.")
        return None
    try:
        written = _read_only_object(text, opening.end())
    except UnreadableCall:
        if _TAG.match(text) or _CALL_KEY.search(text):
            raise
        return None
    return _as_request(written, tool_names, position)


def react_result(name: str, content: str) -> str:
    """A tool's result as the model is told it: the text of a human message."""
    return f"Result of {name}:\n{content}\n\nGo on: call another tool, or answer the user."


def may_become_call(text: str) -> bool:
    """Whether the beginning of an output can still turn out to be a call."""
    start = _LEAD.sub("", text, count=1).lower()
    if "<tool_call>".startswith(start.rstrip()) or _PARTIAL_FENCE.fullmatch(start):
        return True
    return _OPENING.match(text) is not None


def _as_request(
    written: Mapping[str, Any], tool_names: Collection[str], position: int
) -> ToolCallRequest | None:
    inner = written.get("tool_call")
    call = inner if isinstance(inner, Mapping) else written
    name = call.get("name", call.get("action"))
    if not isinstance(name, str) or name not in tool_names:
        return None
    arguments = next((call[key] for key in _ARGUMENT_KEYS if key in call), None)
    if not isinstance(arguments, Mapping):
        raise UnreadableCall("The arguments of a call must be a JSON object.")
    raw = json.dumps(arguments, ensure_ascii=False)
    return ToolCallRequest(
        id=mint_call_id(name, raw, position),
        name=name,
        raw_arguments=raw,
        arguments=arguments,
    )


def mint_call_id(name: str, arguments: str, position: int) -> str:
    """An id for a call that came without one; equal for equal input, so that a replay is recognised."""
    identity = json.dumps([clean_text(name), clean_text(arguments), position])
    return f"call_{hashlib.sha256(identity.encode()).hexdigest()[:24]}"


def _read_only_object(text: str, start: int) -> dict[str, Any]:
    written, end = _read_object(text, start)
    if not _REST.match(text, end):
        raise UnreadableCall("A call must be one JSON object.")
    return written


def _read_object(text: str, start: int) -> tuple[dict[str, Any], int]:
    """The object that begins with the brace at `start`, and where it ends."""
    try:
        written, end = _DECODER.raw_decode(text, start)
    except (ValueError, RecursionError) as error:
        raise UnreadableCall(f"The call is not valid JSON: {error}") from error
    return written, end


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON.")


def _ends_in_fence(text: str, start: int) -> bool:
    try:
        _, end = _read_object(text, start)
    except UnreadableCall:
        return False
    return _REST.match(text, end) is not None and text[end:].strip() != ""


# Literal line breaks inside strings are let pass, as in native calls; NaN is not.
_DECODER = json.JSONDecoder(strict=False, parse_constant=_refuse_constant)
_ARGUMENT_KEYS = ("args", "arguments", "action_input")
_LONGEST_FENCE = len("</tool_call>")
_LEAD = re.compile(r"\A[\s\ufeff\u200b]+")
_TAG = re.compile(r"[\s\ufeff\u200b]*<tool_call>", re.IGNORECASE)
_OPENING = re.compile(
    r"[\s\ufeff\u200b]*(?:`{3,}[ \t]*(?:json)?|<tool_call>)\s*(?=\{)", re.IGNORECASE
)
_PARTIAL_FENCE = re.compile(r"`{1,2}|`{3,}[ \t]*(?:j|js|jso|json)?\s*")
_FENCE = re.compile(r"```|</tool_call>", re.IGNORECASE)
_REST = re.compile(r"\s*(?:```|</tool_call>|\Z)", re.IGNORECASE)
_CALL_KEY = re.compile(r"[\"'“](?:name|action|tool_call)[\"'”]\s*:")
