"""The fields that make up a configuration, declared once.

`AppConfigSerializer` is that declaration. Reading and writing by API and admin, copying on publish and
restore, comparing and hashing all go over it, so that a field added there is nowhere forgotten. Outside the
database a configuration names things instead of using ids: a model as `provider/name`, tools by name.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

from django.db import models
from django.db.models import F, Prefetch, QuerySet, Value
from django.db.models.functions import Concat
from django.utils.translation import gettext_lazy as _
from rest_framework import serializers

from apps.providers.models import LanguageModel
from apps.studio.models import AppConfig, AppConfigTool, ReviewKeyword
from apps.studio.strict_fields import StrictFields
from apps.toolbox.models import Tool

Content = dict[str, Any]
Row = Mapping[str, Any]


class ModelName(serializers.Field[LanguageModel, str, str, LanguageModel]):
    """A chat model as `provider/name`."""

    default_error_messages: ClassVar[Any] = {
        "not_text": _('Enter the model as "provider/name".'),
        "unknown": _('There is no chat model "{name}". Spell it "provider/name", as it is listed.'),
    }

    def to_representation(self, value: LanguageModel) -> str:
        return f"{value.provider.name}/{value.name}"

    def to_internal_value(self, data: Any) -> LanguageModel:
        if not isinstance(data, str):
            self.fail("not_text")
        chat_models = LanguageModel.objects.filter(kind=LanguageModel.Kind.CHAT)
        named = chat_models.annotate(
            full_name=Concat(F("provider__name"), Value("/"), F("name"))
        ).filter(full_name=data)
        model = named.select_related("provider").first()
        if model is None:
            self.fail("unknown", name=data)
        return model


class Text(serializers.CharField):
    """Text with line feeds only: browsers send CRLF, which would make an unchanged prompt look changed."""

    def to_internal_value(self, data: Any) -> str:
        return super().to_internal_value(data).replace("\r\n", "\n").replace("\r", "\n")


class OrderedRows(serializers.ListField):
    """A list that is stored as rows in this order. The validated value is the rows' columns."""

    def to_representation(self, data: Any) -> list[Any]:
        return [self.name_row(row) for row in data.all()]

    def to_internal_value(self, data: Any) -> list[Any]:
        """The length is checked before any item is looked at."""
        if isinstance(data, list):
            self.run_validators(data)
        return self.find_rows(super().to_internal_value(data))

    def name_row(self, row: Any) -> Any:
        """The item of the list that says what the row holds."""
        raise NotImplementedError

    def find_rows(self, items: Sequence[Any]) -> list[Any]:
        """The columns of one row for each item."""
        raise NotImplementedError


class ToolNames(OrderedRows):
    """Tools by name; each at most once."""

    child = serializers.CharField(max_length=64)
    default_error_messages: ClassVar[Any] = {
        "unknown": _("There is no tool {names}."),
        "repeated": _("A tool is listed twice: {names}."),
    }

    def name_row(self, row: Any) -> str:
        name: str = row.tool.name
        return name

    def find_rows(self, items: Sequence[str]) -> list[dict[str, Tool]]:
        repeated = {name for name, count in Counter(items).items() if count > 1}
        if repeated:
            self.fail("repeated", names=", ".join(sorted(repeated)))
        tools = Tool.objects.in_bulk(items, field_name="name")
        unknown = [repr(name) for name in items if name not in tools]
        if unknown:
            self.fail("unknown", names=", ".join(unknown))
        return [{"tool": tools[name]} for name in items]


class QuestionTexts(OrderedRows):
    """Opening questions as plain strings."""

    child = serializers.CharField(max_length=300)

    def name_row(self, row: Any) -> str:
        text: str = row.text
        return text

    def find_rows(self, items: Sequence[str]) -> list[dict[str, str]]:
        return [{"text": text} for text in items]


class ReviewKeywordSerializer(serializers.ModelSerializer[ReviewKeyword]):
    """One keyword with where it is looked for."""

    class Meta:
        model = ReviewKeyword
        fields = ("direction", "keyword")


class ReviewKeywords(OrderedRows):
    """Keywords as objects {direction, keyword}."""

    child = ReviewKeywordSerializer()

    def name_row(self, row: Any) -> dict[str, str]:
        return {"direction": row.direction, "keyword": row.keyword}

    def find_rows(self, items: Sequence[Any]) -> list[Any]:
        return list(items)


class AppConfigSerializer(StrictFields, serializers.ModelSerializer[AppConfig]):
    """The content of a configuration. Unknown fields are errors that name them."""

    serializer_field_mapping: ClassVar[Any] = {
        **serializers.ModelSerializer.serializer_field_mapping,
        models.TextField: Text,
    }

    model = ModelName(required=False, allow_null=True, label=_("model"))
    auxiliary_model = ModelName(required=False, allow_null=True, label=_("auxiliary model"))
    tools = ToolNames(source="tool_choices", required=False, max_length=128, label=_("tools"))
    opening_questions = QuestionTexts(required=False, max_length=20, label=_("opening questions"))
    review_keywords = ReviewKeywords(required=False, max_length=100, label=_("review keywords"))

    class Meta:
        model = AppConfig
        fields = (
            "model",
            "auxiliary_model",
            "temperature",
            "top_p",
            "max_tokens",
            "parameters",
            "preset_prompt",
            "tools",
            "dialog_round",
            "history_mode",
            "long_term_memory",
            "opening_statement",
            "opening_questions",
            "review_keywords",
            "review_input_response",
            "review_output_response",
            "max_iterations",
            "max_tool_calls",
            "turn_timeout",
            "on_busy",
            "show_steps",
        )


_FIELDS = AppConfigSerializer().fields
_ROW_FIELDS = {str(f.source): f for f in _FIELDS.values() if isinstance(f, OrderedRows)}
ROW_RELATIONS = tuple(_ROW_FIELDS)
COLUMNS = tuple(str(f.source) for f in _FIELDS.values() if f.source not in ROW_RELATIONS)


def configs_with_content() -> QuerySet[AppConfig]:
    """Configurations read so that dumping one costs no further statement (four in all)."""
    tool_choices = Prefetch("tool_choices", AppConfigTool.objects.select_related("tool"))
    return AppConfig.objects.select_related(
        "app", "model__provider", "auxiliary_model__provider"
    ).prefetch_related(tool_choices, "opening_questions", "review_keywords")


def dump_config(config: AppConfig) -> Content:
    """The content as JSON values, in the order of declaration; equal configurations dump equally."""
    return dict(AppConfigSerializer(config).data)


def name_rows(relation: str, rows: Iterable[models.Model]) -> Content:
    """The field that `relation` stores, with its value for these rows, saved or not."""
    field = _ROW_FIELDS[relation]
    return {str(field.field_name): [field.name_row(row) for row in rows]}


def content_hash(content: Content) -> str:
    """SHA-256 over the canonical JSON of a dumped configuration."""
    canonical = json.dumps(content, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(canonical.encode()).hexdigest()


def columns_of(config: AppConfig) -> dict[str, Any]:
    """The values that stand in the row itself."""
    return {name: getattr(config, name) for name in COLUMNS}


def rows_of(config: AppConfig) -> dict[str, list[dict[str, Any]]]:
    """The columns of the rows that belong to the configuration, per relation, in order."""
    return {
        relation: [_own_columns(row) for row in getattr(config, relation).all()]
        for relation in ROW_RELATIONS
    }


def write_rows(config: AppConfig, rows: Mapping[str, Sequence[Row]]) -> None:
    """Put `rows` in place of what each named relation holds, numbered from 0."""
    for relation, values in rows.items():
        manager = getattr(config, relation)
        manager.all().delete()
        manager.model.objects.bulk_create(
            manager.model(config=config, position=position, **columns)
            for position, columns in enumerate(values)
        )


def _own_columns(row: models.Model) -> dict[str, Any]:
    names = (field.name for field in row._meta.concrete_fields)
    return {name: getattr(row, name) for name in names if name not in {"id", "config", "position"}}
