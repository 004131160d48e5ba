"""Serializers that refuse what they do not know, so that a misspelt field is an error and not silence."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers


class StrictFields(serializers.Serializer[Any]):
    """Refuses by name, and all at once: unknown fields, such as are only read, numbers in place of texts."""

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
        told = {str(name): self._objection_to(str(name), value) for name, value in data.items()}
        return {name: [text] for name, text in told.items() if text}

    def _objection_to(self, name: str, value: Any) -> str:
        field = self.fields.get(name)
        if field is None:
            known = ", ".join(key for key, known in self.fields.items() if not known.read_only)
            return _("Unknown field. Known here: %(known)s.") % {"known": known}
        if field.read_only:
            return _("This field cannot be set.")
        is_text = isinstance(field, serializers.CharField)
        return str(field.error_messages["invalid"]) if is_text and _is_number(value) else ""


def _is_number(value: Any) -> bool:
    """JSON numbers, which REST framework would take for texts."""
    return isinstance(value, int | float)
