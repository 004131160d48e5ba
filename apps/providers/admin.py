"""Model providers and language models. Operators write, builders read; a secret is never shown."""

from typing import Any

from django.contrib import admin
from django.db import transaction
from django.db.models import Count, QuerySet
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin, TabularInline
from unfold.decorators import action, display

from apps.accounts.admin_site import admin_user
from apps.accounts.roles import is_operator
from apps.providers.admin_forms import LanguageModelForm, ModelProviderForm
from apps.providers.connection import test_connection
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider

ACCESS = gettext_lazy("Access")
FILTER_LOOKUPS = ("", "__exact", "__isnull", "__id__exact")


class ClosedLookups(ModelAdmin):
    """A list that is narrowed by its own filters only: builders read it, and it stands beside secrets."""

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        return lookup in {f"{name}{end}" for name in self.list_filter for end in FILTER_LOOKUPS}


class LanguageModelInline(TabularInline):
    model = LanguageModel
    fields = ("name", "display_name", "kind", "tool_call", "context_window", "is_enabled")
    extra = 0
    show_change_link = True

    def get_queryset(self, request: HttpRequest) -> QuerySet[LanguageModel]:
        models: QuerySet[LanguageModel] = super().get_queryset(request)
        return models.select_related("provider")


@admin.register(ModelProvider)
class ModelProviderAdmin(ClosedLookups):
    form = ModelProviderForm
    list_display = ("name", "kind", "base_url", "model_count", "is_enabled")
    list_filter = ("kind", "is_enabled")
    search_fields = ("name", "base_url")
    inlines = (LanguageModelInline,)
    actions_detail = ("test_connection",)
    fieldsets = (
        (
            None,
            {
                "fields": (("name", "kind"), "base_url", "is_enabled"),
                "description": gettext_lazy(
                    "The account and endpoint by which models are reached. The address may be private."
                ),
            },
        ),
        (ACCESS, {"fields": ("new_secret", "extra_headers")}),
        (
            gettext_lazy("Timeouts"),
            {"fields": (("connect_timeout", "first_token_timeout"), "idle_timeout")},
        ),
    )

    @display(description=gettext_lazy("models"), ordering="model_count")
    def model_count(self, provider: Any) -> int:
        count: int = provider.model_count
        return count

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelProvider]:
        providers: QuerySet[ModelProvider] = super().get_queryset(request)
        return providers.annotate(model_count=Count("models"))

    def get_fieldsets(self, request: HttpRequest, obj: ModelProvider | None = None) -> Any:
        """Headers may hold credentials, so only operators see them. Only a stored key can be removed."""
        shown = dict(super().get_fieldsets(request, obj))
        if not is_operator(admin_user(request)):
            del shown[ACCESS]
        elif obj and obj.secret:
            shown[ACCESS] = {"fields": ("new_secret", "remove_secret", "extra_headers")}
        return list(shown.items())

    def get_deleted_objects(self, objs: Any, request: HttpRequest) -> Any:
        """A provider takes its models along, so what uses these keeps the provider."""
        deleted, counts, missing, protected = super().get_deleted_objects(objs, request)
        models = LanguageModel.objects.filter(provider__in=objs)
        if models:
            deleted, counts, missing, protected = super().get_deleted_objects(models, request)
        return deleted, counts, missing, protected

    def delete_model(self, request: HttpRequest, obj: ModelProvider) -> None:
        with transaction.atomic():
            obj.models.all().delete()
            obj.delete()

    def delete_queryset(self, request: HttpRequest, queryset: QuerySet[ModelProvider]) -> None:
        with transaction.atomic():
            LanguageModel.objects.filter(provider__in=queryset).delete()
            queryset.delete()

    @action(
        description=gettext_lazy("Test connection"),
        url_path="connection",
        icon="network_check",
        permissions=["change"],
    )
    def test_connection(self, request: HttpRequest, object_id: str) -> HttpResponse:
        """A page with a button; only the POST reaches out."""
        provider = self.get_object(request, object_id)
        if provider is None:
            raise Http404(_("There is no such provider."))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": provider,
            "title": _("Test the connection to %(name)s") % {"name": provider},
            "report": test_connection(provider) if request.method == "POST" else None,
        }
        return TemplateResponse(request, "admin/providers/modelprovider/connection.html", context)


class ModelPriceInline(TabularInline):
    """Prices are written once; the newest counts, each call keeps the one it was made at."""

    model = ModelPrice
    fields = ("input_price", "cached_input_price", "output_price", "created_at")
    readonly_fields = ("created_at",)
    extra = 0
    hide_title = True
    verbose_name = gettext_lazy("price")

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(LanguageModel)
class LanguageModelAdmin(ClosedLookups):
    form = LanguageModelForm
    list_display = ("title", "provider", "kind", "tool_call", "context_window", "is_enabled")
    list_filter = ("provider", "kind", "is_enabled")
    list_select_related = ("provider",)
    search_fields = ("name", "display_name", "provider__name")
    autocomplete_fields = ("provider",)
    inlines = (ModelPriceInline,)
    fieldsets = (
        (None, {"fields": ("provider", ("name", "display_name"), ("kind", "is_enabled"))}),
        (
            gettext_lazy("What it can do"),
            {
                "fields": (
                    ("tool_call", "parallel_tool_calls"),
                    "agent_thought",
                    ("image_input", "reasoning"),
                    "json_mode",
                )
            },
        ),
        (gettext_lazy("How much it takes"), {"fields": (("context_window", "max_output_tokens"),)}),
        (
            gettext_lazy("How it deviates"),
            {
                "fields": ("default_parameters", "quirks"),
                "classes": ("collapse",),
                "description": gettext_lazy(
                    "Default parameters go along with every call; an App may override them. Quirks say "
                    "where this model leaves the protocol; most models need none."
                ),
            },
        ),
    )

    @display(description=gettext_lazy("model"), ordering="name")
    def title(self, model: LanguageModel) -> str:
        return str(model)

    def get_queryset(self, request: HttpRequest) -> QuerySet[LanguageModel]:
        models: QuerySet[LanguageModel] = super().get_queryset(request)
        return models.select_related("provider")
