"""What all endpoints share: permission by method, named filters, JSON in and out, one error shape."""

from collections.abc import Mapping
from typing import Any, ClassVar

from django.http import HttpRequest
from rest_framework import generics
from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request

from apps.api.filters import ExactFilters
from apps.api.openapi import ApiSchema
from apps.api.permissions import MayOperate


class OneRenderer(DefaultContentNegotiation):
    """Answers in the endpoint's one form whatever `Accept` says: SDKs ask for the wrong one."""

    def select_renderer(
        self, request: Request, renderers: Any, format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        return renderers[0], renderers[0].media_type


class ResourceView(generics.GenericAPIView[Any]):
    """An endpoint. A class that names no permission is for operators."""

    read_permission: ClassVar[type[BasePermission]] = MayOperate
    write_permission: ClassVar[type[BasePermission]] = MayOperate
    filter_lookups: ClassVar[Mapping[str, str]] = {}
    filter_backends = (ExactFilters,)
    content_negotiation_class = OneRenderer
    http_method_names = ["get", "head", "post", "patch", "delete"]  # noqa: RUF012 -- Django's type
    schema = ApiSchema()

    def initialize_request(self, request: HttpRequest, *args: Any, **kwargs: Any) -> Request:
        """A chunked body names no length, which REST framework takes for no body; the parser bounds it."""
        if "HTTP_TRANSFER_ENCODING" in request.META:
            request.META["CONTENT_LENGTH"] = "-1"
        return super().initialize_request(request, *args, **kwargs)

    def get_permissions(self) -> list[BasePermission]:
        is_read = self.request is None or self.request.method in SAFE_METHODS
        return [self.read_permission() if is_read else self.write_permission()]
