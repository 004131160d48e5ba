"""The ledger of model calls, to read, with the totals of what is filtered."""

from decimal import Decimal
from typing import Any

from django.contrib import admin
from django.db.models import Count, Q, QuerySet, Sum
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from unfold.admin import ModelAdmin
from unfold.decorators import display

from apps.accounts.admin_site import admin_user
from apps.accounts.roles import is_operator
from apps.studio.models import App
from apps.usage.models import ModelCall


@admin.register(ModelCall)
class ModelCallAdmin(ModelAdmin):
    list_display = (
        "created_at",
        "purpose",
        "app",
        "model_name",
        "input_tokens",
        "output_tokens",
        "shown_cost",
        "shown_latency",
        "status",
    )
    list_filter = (
        "purpose",
        ("app", admin.RelatedOnlyFieldListFilter),
        ("model_name", admin.AllValuesFieldListFilter),
        "status",
        "created_at",
    )
    list_select_related = ("app",)
    search_fields = ("model_name", "app__name", "caller__user__username")
    list_before_template = "admin/usage/modelcall/totals.html"

    @display(description=_("cost"), ordering="cost", empty_value=_("unknown"))
    def shown_cost(self, call: ModelCall) -> str | None:
        return None if call.cost is None else show_amount(call.cost, call.currency)

    @display(description=_("latency (s)"), ordering="latency")
    def shown_latency(self, call: ModelCall) -> str:
        return f"{call.latency:.2f}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[ModelCall]:
        calls: QuerySet[ModelCall] = super().get_queryset(request)
        user = admin_user(request)
        if is_operator(user):
            return calls
        return calls.filter(app__in=App.objects.editable_by(user))

    def changelist_view(
        self, request: HttpRequest, extra_context: dict[str, Any] | None = None
    ) -> Any:
        response = super().changelist_view(request, extra_context)
        changelist = getattr(response, "context_data", {}).get("cl")
        if changelist is not None:
            response.context_data["totals"] = _totals(changelist.queryset)
        return response

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def _totals(calls: QuerySet[ModelCall]) -> dict[str, Any]:
    """Unknown costs are counted apart: they are unknown, not free. Those of each currency are one sum."""
    by_currency = calls.order_by("currency").values("currency")
    sums = by_currency.annotate(
        calls=Count("pk"),
        unpriced=Count("pk", filter=Q(cost=None)),
        input_tokens_sum=Sum("input_tokens", default=0),
        output_tokens_sum=Sum("output_tokens", default=0),
        cost_sum=Sum("cost"),
    )
    rows = list(sums)
    return {
        "calls": sum(row["calls"] for row in rows),
        "unpriced": sum(row["unpriced"] for row in rows),
        "input_tokens": sum(row["input_tokens_sum"] for row in rows),
        "output_tokens": sum(row["output_tokens_sum"] for row in rows),
        "costs": [
            show_amount(row["cost_sum"], row["currency"])
            for row in rows
            if row["cost_sum"] is not None
        ],
    }


def show_amount(amount: Decimal, currency: str) -> str:
    """Without the zeros at its end, and never with an exponent."""
    return f"{amount.normalize():f} {currency}"
