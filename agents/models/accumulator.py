"""Tool calls put together from the fragments that model services send."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from agents.message_repair import clean_value
from agents.models.arguments import read_arguments
from agents.models.inference import ToolCallDelta, ToolCallRequest
from agents.react import mint_call_id
from tools.plain_text import clean_text

SMALL_NUMBER = re.compile(r"[0-9]{1,6}")


@dataclass(kw_only=True)
class _Call:
    position: int
    id: str = ""
    name: str = ""
    arguments: list[str] = field(default_factory=list)
    extra: Mapping[str, Any] | None = None

    @property
    def is_complete(self) -> bool:
        """Whether its arguments are a whole JSON object already."""
        ends = bool(self.arguments) and self.arguments[-1].rstrip().endswith("}")
        return ends and read_arguments("".join(self.arguments)).content is not None


@dataclass(frozen=True, kw_only=True)
class _Fragment:
    id: str
    index: int | None
    name: str
    arguments: str
    extra: Mapping[str, Any] | None


class ToolCallAccumulator:
    """Gives each fragment to its call.

    A known id names its call; a new id that brings a name opens one, even at a taken index; an index without
    id is the last call opened at it; without both it is the last call. A call whose arguments are complete
    takes no more: another name (or the same with arguments again) opens the next call. Names are assigned,
    never appended (many services repeat them in every chunk).
    """

    def __init__(self, *, first_position: int = 0) -> None:
        self._first_position = first_position
        self._calls: list[_Call] = []
        self._by_id: dict[str, _Call] = {}
        self._by_index: dict[int, _Call] = {}

    def add(self, fragments: Any) -> list[ToolCallDelta]:
        """Take the `tool_calls` of a chunk; a delta for each call whose name has become known."""
        listed = fragments if isinstance(fragments, list) else [fragments]
        deltas = [self._add(_read_fragment(one)) for one in listed if isinstance(one, dict)]
        return [delta for delta in deltas if delta]

    def __bool__(self) -> bool:
        return bool(self._calls)

    def requests(self) -> tuple[ToolCallRequest, ...]:
        """The calls in the order in which they were opened; those without an id are given one."""
        return tuple(map(self._request, self._calls))

    def extras(self) -> list[Mapping[str, Any] | None]:
        """What the service attached to each call and wants back with it, in the order of `requests`."""
        return [call.extra for call in self._calls]

    def _add(self, fragment: _Fragment) -> ToolCallDelta | None:
        call = self._find(fragment) or self._open()
        self._remember(call, fragment)
        call.extra = fragment.extra or call.extra
        if fragment.arguments:
            call.arguments.append(fragment.arguments)
        is_news = bool(fragment.name) and not call.name
        call.name = fragment.name or call.name
        return ToolCallDelta(call.position, call.name) if is_news else None

    def _find(self, fragment: _Fragment) -> _Call | None:
        if fragment.id in self._by_id:
            return self._by_id[fragment.id]
        if fragment.index is not None:
            call = self._by_index.get(fragment.index)
        else:
            call = self._calls[-1] if self._calls else None
        return call if call and not _starts_another(call, fragment) else None

    def _open(self) -> _Call:
        call = _Call(position=len(self._calls))
        self._calls.append(call)
        return call

    def _remember(self, call: _Call, fragment: _Fragment) -> None:
        if fragment.id:
            call.id = call.id or fragment.id
            self._by_id[fragment.id] = call
        if fragment.index is not None:
            self._by_index[fragment.index] = call

    def _request(self, call: _Call) -> ToolCallRequest:
        arguments = read_arguments("".join(call.arguments))
        position = self._first_position + call.position
        return ToolCallRequest(
            id=call.id or mint_call_id(call.name, arguments.text, position),
            name=call.name,
            raw_arguments=arguments.text,
            arguments=arguments.content,
            problem=arguments.problem,
        )


def _starts_another(call: _Call, fragment: _Fragment) -> bool:
    """Whether a fragment that lies where `call` lies belongs to a new call."""
    if fragment.id and call.id and fragment.name:
        return True
    repeats_name = fragment.name == call.name and not fragment.arguments.strip()
    brings_start = bool(fragment.id) or (bool(fragment.name and call.name) and not repeats_name)
    return brings_start and call.is_complete


def _read_fragment(fragment: Mapping[str, Any]) -> _Fragment:
    """A fragment in any of its shapes; what is missing, null or of a wrong type is empty."""
    function = fragment.get("function")
    content = function if isinstance(function, dict) else fragment
    extra = fragment.get("extra_content")
    return _Fragment(
        id=_text(fragment.get("id")),
        index=_index(fragment.get("index")),
        name=_text(content.get("name")).strip(),
        arguments=_arguments_text(content.get("arguments")),
        extra=clean_value(extra) if isinstance(extra, dict) else None,
    )


def _text(value: Any) -> str:
    return clean_text(value) if isinstance(value, str) else ""


def _index(value: Any) -> int | None:
    is_number = isinstance(value, int) or (isinstance(value, str) and SMALL_NUMBER.fullmatch(value))
    return int(value) if is_number else None


def _arguments_text(value: Any) -> str:
    """Fragments stay as they are; an object or a list came whole and becomes its JSON."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
