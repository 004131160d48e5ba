"""Brings the catalogue's rows in step with what the tools' sources offer."""

from typing import Any

from django.db import transaction

from apps.toolbox.models import Tool
from tools.definition import ToolDefinition, ToolSource
from tools.registry import builtin_tools


def sync_tools() -> None:
    """Upsert a row for every built-in tool, by name; rows whose code is gone become `is_missing`.

    What an operator chose (enabled, permit, timeout) is kept; a row that is in step is not written.
    """
    definitions = {tool.definition.name: tool.definition for tool in builtin_tools()}
    with transaction.atomic():
        rows = {row.name: row for row in Tool.objects.select_for_update()}
        for name, definition in definitions.items():
            _bring_in_step(rows.get(name), definition)
        Tool.objects.filter(source=ToolSource.BUILTIN, is_missing=False).exclude(
            name__in=definitions
        ).update(is_missing=True)


def _bring_in_step(row: Tool | None, definition: ToolDefinition) -> None:
    told = _columns_from_source(definition)
    if row is None:
        Tool.objects.create(
            name=definition.name,
            is_enabled=definition.is_enabled,
            is_managed=definition.is_managed,
            timeout=definition.timeout,
            **told,
        )
        return
    changed = {column: value for column, value in told.items() if getattr(row, column) != value}
    if changed:
        for column, value in changed.items():
            setattr(row, column, value)
        row.save(update_fields=[*changed, "updated_at"])


def _columns_from_source(definition: ToolDefinition) -> dict[str, Any]:
    """The columns that the source decides, never the operator."""
    return {
        "source": definition.source.value,
        "source_id": definition.source_id,
        "description": definition.description,
        "parameters": dict(definition.parameters),
        "risk": definition.risk.value,
        "is_parallel_safe": definition.is_parallel_safe,
        "is_idempotent": definition.is_idempotent,
        "taints_output": definition.taints_output,
        "schema_hash": definition.schema_hash,
        "is_missing": False,
    }
