"""Every endpoint below /api/, read from the URL resolver, so that a new one is tested or fails the tests."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import iscoroutinefunction
from typing import Any

import pytest
from django.urls import URLPattern, URLResolver, get_resolver

METHODS = ("get", "post", "put", "patch", "delete")


@dataclass(frozen=True)
class Endpoint:
    """A method of a route, as in `api/v1/apps/<slug:slug>`."""

    method: str
    route: str
    is_async: bool = False

    def __str__(self) -> str:
        return f"{self.method.upper()} {self.route}"

    @property
    def names_an_object(self) -> bool:
        return "<" in self.route

    @property
    def is_site_asset(self) -> bool:
        """Providers, models and tools belong to the site: rights follow from the role alone."""
        return self.route.split("/")[2] in {"model-providers", "language-models", "tools"}


def endpoints() -> list[Endpoint]:
    """What programs can call with credentials."""
    found = []
    for route, pattern in routes():
        view: Any = getattr(pattern.callback, "cls")  # noqa: B009 -- mypy knows no `cls` of a view
        methods = [m for m in METHODS if m in view.http_method_names and hasattr(view, m)]
        if route.startswith("api/v1/"):
            found += [Endpoint(m, route, iscoroutinefunction(getattr(view, m))) for m in methods]
    return found


def each(condition: Callable[[Endpoint], bool] = lambda _endpoint: True) -> Any:
    """Parametrise a test by the endpoints that meet `condition`."""
    return pytest.mark.parametrize(
        "endpoint",
        [
            # An async endpoint reads with another connection: it sees only what is committed.
            pytest.param(e, id=str(e), marks=pytest.mark.django_db(transaction=e.is_async))
            for e in endpoints()
            if condition(e)
        ],
    )


def routes() -> list[tuple[str, URLPattern]]:
    """All routes of the API with their full text."""
    found = _flat(get_resolver("apps.api.urls").url_patterns, "")
    return [(route, pattern) for route, pattern in found if not route.startswith("^")]


def _flat(
    patterns: list[URLPattern | URLResolver], prefix: str
) -> Iterator[tuple[str, URLPattern]]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from _flat(pattern.url_patterns, prefix + str(pattern.pattern))
        else:
            yield prefix + str(pattern.pattern), pattern
