"""What differs between two configurations, field by field; texts and lists line by line."""

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from django.utils.text import capfirst
from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.studio.schema import AppConfigSerializer


class Mark(StrEnum):
    """What happened to a line."""

    SAME = "same"
    ADDED = "added"
    REMOVED = "removed"


@dataclass(frozen=True, kw_only=True)
class Line:
    """A line of a text, or an item of a list."""

    mark: Mark
    text: str


@dataclass(frozen=True, kw_only=True)
class FieldChange:
    """One field that differs. `lines` is set for texts of several lines and for lists, else empty."""

    field: str
    label: str
    old: str
    new: str
    lines: tuple[Line, ...] = ()


def compare_contents(
    old: Mapping[str, Any] | None, new: Mapping[str, Any]
) -> tuple[FieldChange, ...]:
    """The differing fields of two dumped configurations, in the order of declaration.

    Without an old one every field of the new one that says something counts as changed.
    """
    before = dict.fromkeys(new) if old is None else old
    changed = (name for name in new if before[name] != new[name])
    if old is None:
        changed = (name for name in changed if new[name] not in (None, "", [], {}))
    fields = AppConfigSerializer().fields
    return tuple(_change(name, fields[name], before[name], new[name]) for name in changed)


def _change(
    name: str, field: serializers.Field[Any, Any, Any, Any], old: Any, new: Any
) -> FieldChange:
    if isinstance(field, serializers.ChoiceField):
        old, new = field.choices.get(old, old), field.choices.get(new, new)
    before, after = _lines(old), _lines(new)
    is_long = isinstance(new, list) or max(len(before), len(after)) > 1
    lines = tuple(_diff(before, after)) if is_long else ()
    label = capfirst(str(field.label))
    return FieldChange(field=name, label=label, old=_shown(old), new=_shown(new), lines=lines)


def _lines(value: Any) -> list[str]:
    if isinstance(value, list):
        return [_shown(item) for item in value]
    if isinstance(value, str):
        return value.splitlines()
    return [] if value is None else [_shown(value)]


def _shown(value: Any) -> str:
    match value:
        case None:
            return ""
        case bool():
            return _("yes") if value else _("no")
        case {"keyword": keyword, "direction": direction}:
            return f"{keyword} ({direction})"
        case dict():
            return json.dumps(value, ensure_ascii=False, sort_keys=True)
        case _:
            return str(value)


def _diff(old: list[str], new: list[str]) -> Iterator[Line]:
    matcher = difflib.SequenceMatcher(a=old, b=new, autojunk=False)
    for kind, old_from, old_to, new_from, new_to in matcher.get_opcodes():
        if kind == "equal":
            yield from (Line(mark=Mark.SAME, text=text) for text in old[old_from:old_to])
            continue
        yield from (Line(mark=Mark.REMOVED, text=text) for text in old[old_from:old_to])
        yield from (Line(mark=Mark.ADDED, text=text) for text in new[new_from:new_to])
