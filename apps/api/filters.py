"""Filters of lists: a few named query parameters, everything else is refused."""

from collections.abc import Mapping
from typing import Any, ClassVar, Protocol, cast

from django.db.models import QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError
from rest_framework.filters import BaseFilterBackend
from rest_framework.request import Request
from rest_framework.views import APIView

PAGE_PARAMETERS = frozenset({"page", "page_size"})


class FilteredView(Protocol):
    """`filter_lookups` maps a query parameter to the column it must equal."""

    filter_lookups: ClassVar[Mapping[str, str]]


class ExactFilters(BaseFilterBackend):
    """`?parameter=value` for the parameters that the view names. Raises ValidationError for any other."""

    def filter_queryset(
        self, request: Request, queryset: QuerySet[Any], view: APIView
    ) -> QuerySet[Any]:
        lookups = cast(FilteredView, view).filter_lookups
        _refuse_unknown(request, known=lookups.keys() | PAGE_PARAMETERS)
        conditions = {
            column: _text(request, name)
            for name, column in lookups.items()
            if name in request.query_params
        }
        return queryset.filter(**conditions)

    def get_schema_operation_parameters(self, view: APIView) -> list[dict[str, Any]]:
        return [
            {"name": name, "in": "query", "required": False, "schema": {"type": "string"}}
            for name in cast(FilteredView, view).filter_lookups
        ]


def _refuse_unknown(request: Request, *, known: frozenset[str] | set[str]) -> None:
    unknown = sorted(request.query_params.keys() - known)
    if unknown:
        text = _("Unknown parameter. Known here: %(known)s.") % {"known": ", ".join(sorted(known))}
        raise ValidationError({name: [text] for name in unknown})


def _text(request: Request, name: str) -> str:
    value = request.query_params[name]
    if not value.isprintable():
        raise ValidationError({name: [_("Use printable characters.")]})
    return value
