"""Paths that mean the same with and without their trailing slash."""

from collections.abc import Callable
from typing import Any

from django.http.response import HttpResponseBase
from django.urls.resolvers import RoutePattern, URLPattern

View = Callable[..., Any]


class EitherSlash(RoutePattern):
    """A route, written without trailing slash, that also matches with one."""

    def match(self, path: str) -> tuple[str, tuple[Any, ...], dict[str, Any]] | None:
        return super().match(path.removesuffix("/"))


def route(path: str, view: Callable[..., HttpResponseBase], name: str) -> URLPattern:
    """Like `django.urls.path`."""
    return URLPattern(EitherSlash(path, name=name, is_endpoint=True), view, {}, name)
