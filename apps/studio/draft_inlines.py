"""The draft on the App's page: its columns as tabs, its ordered lists inside them."""

from django.db import models
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import StackedInline, TabularInline

from apps.studio.draft_forms import DraftForm, OrderedRowForm, OrderedRowsFormSet, ToolRowForm
from apps.studio.models import AppConfig, AppConfigTool, OpeningQuestion, ReviewKeyword
from apps.studio.row_choices import RowAutocompleteMixin


class OrderedRowsInline(TabularInline):
    """A sortable list inside the draft. `panel` names the tab it stands on."""

    form = OrderedRowForm
    formset = OrderedRowsFormSet
    ordering_field = "position"
    hide_ordering_field = True
    hide_title = True
    extra = 0
    panel: str


class ToolsInline(RowAutocompleteMixin, OrderedRowsInline):
    model = AppConfigTool
    form = ToolRowForm
    fields = ("tool", "position")
    autocomplete_fields = ("tool",)
    panel = "tab-tools"
    max_num = 128

    def get_queryset(self, request: HttpRequest) -> QuerySet[AppConfigTool]:
        rows: QuerySet[AppConfigTool] = super().get_queryset(request)
        return rows.select_related("tool")


class QuestionsInline(OrderedRowsInline):
    model = OpeningQuestion
    fields = ("text", "position")
    panel = "tab-opening"
    max_num = 20


class KeywordsInline(OrderedRowsInline):
    model = ReviewKeyword
    fields = ("keyword", "direction", "position")
    panel = "tab-review"
    max_num = 100


class DraftInline(RowAutocompleteMixin, StackedInline):
    """The App's one draft. Each fieldset is a tab of the page; its class is the tab's address."""

    model = AppConfig
    fk_name = "app"
    form = DraftForm
    verbose_name = _("draft")
    extra = 0
    max_num = 1
    can_delete = False
    inlines = (ToolsInline, QuestionsInline, KeywordsInline)
    autocomplete_fields = ("model", "auxiliary_model")
    fieldsets = (
        (
            _("Model"),
            {
                "classes": ("tab-model",),
                "fields": (
                    "model",
                    "auxiliary_model",
                    ("temperature", "top_p"),
                    "max_tokens",
                    "parameters",
                ),
            },
        ),
        (_("Prompt"), {"classes": ("tab-prompt",), "fields": ("preset_prompt",)}),
        (_("Tools"), {"classes": ("tab-tools",), "fields": ()}),
        (
            _("Memory"),
            {
                "classes": ("tab-memory",),
                "fields": (("dialog_round", "history_mode"), "long_term_memory"),
            },
        ),
        (_("Opening"), {"classes": ("tab-opening",), "fields": ("opening_statement",)}),
        (
            _("Review"),
            {
                "classes": ("tab-review",),
                "fields": ("review_input_response", "review_output_response"),
            },
        ),
        (
            _("Limits"),
            {
                "classes": ("tab-limits",),
                "fields": (
                    ("max_iterations", "max_tool_calls"),
                    "turn_timeout",
                    ("on_busy", "show_steps"),
                ),
            },
        ),
    )

    def get_queryset(self, request: HttpRequest) -> QuerySet[AppConfig]:
        drafts: QuerySet[AppConfig] = super().get_queryset(request)
        return drafts.filter(state=AppConfig.State.DRAFT).select_related(
            "model__provider", "auxiliary_model__provider"
        )

    def has_add_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False
