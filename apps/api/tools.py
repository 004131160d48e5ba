"""/tools: the catalogue. Builders read it; operators switch a tool off or put it under permits."""

from typing import ClassVar

from rest_framework import generics

from apps.api.permissions import MayConfigure
from apps.api.resources import ResourceView
from apps.api.strict_fields import StrictModelSerializer
from apps.toolbox.models import Tool


class ToolSerializer(StrictModelSerializer):
    """What a tool is comes from its source; only `is_enabled` and `is_managed` are set here."""

    class Meta:
        model = Tool
        fields = (
            "name",
            "source",
            "description",
            "parameters",
            "risk",
            "is_managed",
            "is_enabled",
            "is_parallel_safe",
            "is_idempotent",
            "taints_output",
            "timeout",
            "is_missing",
            "updated_at",
        )
        read_only_fields = tuple(f for f in fields if f not in {"is_managed", "is_enabled"})


class Tools(ResourceView):
    """Everything a model may be given to call."""

    queryset = Tool.objects.all()
    serializer_class = ToolSerializer
    read_permission = MayConfigure
    lookup_field = "name"


class ToolList(Tools, generics.ListAPIView[Tool]):
    """All tools."""

    filter_lookups: ClassVar = {"source": "source"}


class ToolDetail(Tools, generics.RetrieveUpdateAPIView[Tool]):
    """One tool."""
