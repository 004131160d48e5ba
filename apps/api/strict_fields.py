"""Serializers that refuse what they do not know, so that a misspelt field is an error and not silence."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers


class StrictFields(serializers.Serializer[Any]):
    """Fields that are unknown or only readable are refused by name."""

    def to_internal_value(self, data: Any) -> Any:
        if isinstance(data, Mapping):
            problems = {name: [text] for name in data if (text := self._objection_to(name))}
            if problems:
                raise serializers.ValidationError(problems, code="unknown_field")
        return super().to_internal_value(data)

    def _objection_to(self, name: str) -> str:
        field = self.fields.get(name)
        if field is None:
            known = ", ".join(key for key, known in self.fields.items() if not known.read_only)
            return _("Unknown field. Known here: %(known)s.") % {"known": known}
        return _("This field cannot be set.") if field.read_only else ""


class StrictModelSerializer(StrictFields, serializers.ModelSerializer[Any]):
    """A model's listed fields."""
