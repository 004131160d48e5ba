"""Serializers of models that refuse what they do not know."""

from typing import Any

from rest_framework import serializers

from apps.studio.strict_fields import StrictFields


class StrictModelSerializer(StrictFields, serializers.ModelSerializer[Any]):
    """A model's listed fields."""
