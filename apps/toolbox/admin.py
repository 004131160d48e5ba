"""The catalogue of tools. What a tool is comes from its source; how it may be used is set here."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display

from apps.toolbox.models import Tool
from tools.definition import Risk


@admin.register(Tool)
class ToolAdmin(ModelAdmin):
    list_display = ("name", "source", "shown_risk", "is_managed", "is_enabled", "is_missing")
    list_filter = ("source", "risk", "is_enabled", "is_managed")
    search_fields = ("name", "description")
    fieldsets = (
        (None, {"fields": ("name", ("source", "risk"), "description", "parameters")}),
        (
            _("Use"),
            {
                "fields": (("is_enabled", "is_managed"), "timeout"),
                "description": _("A managed tool waits for a person's permit before each call."),
            },
        ),
        (
            _("How it behaves"),
            {"fields": (("is_parallel_safe", "is_idempotent"), ("taints_output", "is_missing"))},
        ),
    )
    readonly_fields = (
        "name",
        "source",
        "risk",
        "description",
        "parameters",
        "is_parallel_safe",
        "is_idempotent",
        "taints_output",
        "is_missing",
    )

    @display(
        description=_("risk"),
        ordering="risk",
        label={
            Risk.SAFE.value: "success",
            Risk.LOW.value: "info",
            Risk.MEDIUM.value: "warning",
            Risk.HIGH.value: "danger",
            Risk.FORBIDDEN.value: "danger",
        },
    )
    def shown_risk(self, tool: Tool) -> str:
        return tool.risk

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A tool goes when its source has gone; a present one would come back with the next sync."""
        may_delete: bool = super().has_delete_permission(request, obj)
        return may_delete and (obj is None or obj.is_missing)
