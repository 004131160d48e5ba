"""Serializers that refuse what they do not know, so that a misspelt field is an error and not silence."""

from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.settings import api_settings

MOST_NAMES = 20
LONGEST_NAME = 100


class StrictFields(serializers.Serializer[Any]):
    """Refuses by name, and together: unknown fields, such as are only read, numbers in place of texts."""

    def to_internal_value(self, data: Any) -> Any:
        problems = self._objections(data) if isinstance(data, Mapping) else {}
        try:
            values = super().to_internal_value(data)
        except serializers.ValidationError as error:
            found = error.detail if isinstance(error.detail, dict) else {}
            raise serializers.ValidationError({**found, **problems}) from error
        if problems:
            raise serializers.ValidationError(problems)
        return values

    def _objections(self, data: Mapping[Any, Any]) -> dict[str, list[str]]:
        unknown = [str(name) for name in data if str(name) not in self.fields]
        told = {
            name: self._objection_to(field, data[name])
            for name, field in self.fields.items()
            if name in data
        }
        return {
            **{name: [text] for name, text in told.items() if text},
            **self._refuse_unknown(unknown),
        }

    def _refuse_unknown(self, names: Sequence[str]) -> dict[str, list[str]]:
        """At most 20 of the names, and how many more there are; the first says which fields exist."""
        if not names:
            return {}
        known = ", ".join(name for name, field in self.fields.items() if not field.read_only)
        named = [name[:LONGEST_NAME] for name in names[:MOST_NAMES]]
        problems = {name: [_("Unknown field.")] for name in named}
        problems[named[0]] = [_("Unknown field. Known here: %(known)s.") % {"known": known}]
        if len(names) > MOST_NAMES:
            more = _("And %(n)d more unknown fields.") % {"n": len(names) - MOST_NAMES}
            problems[api_settings.NON_FIELD_ERRORS_KEY] = [more]
        return problems

    def _objection_to(self, field: serializers.Field[Any, Any, Any, Any], value: Any) -> str:
        if field.read_only:
            return _("This field cannot be set.")
        is_text = isinstance(field, serializers.CharField)
        return str(field.error_messages["invalid"]) if is_text and _is_number(value) else ""


def _is_number(value: Any) -> bool:
    """JSON numbers, which REST framework would take for texts."""
    return isinstance(value, int | float)
