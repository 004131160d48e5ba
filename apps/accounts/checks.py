"""Settings that no site may be served with."""

from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, register

LOOPBACK = ("127.0.0.1", "localhost", "::1")
SHORTEST_KEY = 32


@register(Tags.security)
def check_exposure(**_kwargs: Any) -> list[CheckMessage]:
    """Every management command runs this, `serve` too; an error ends it with the hint."""
    errors: list[CheckMessage] = []
    if "*" in settings.ALLOWED_HOSTS:
        errors.append(
            Error(
                "ALLOWED_HOSTS names every host.",
                hint="Name the hosts of this site, such as chat.example.org.",
                id="quintet.E001",
            )
        )
    if len(settings.SECRET_KEY) < SHORTEST_KEY:
        errors.append(
            Error(
                f"SECRET_KEY has fewer than {SHORTEST_KEY} characters.",
                hint="Leave it out: a strong one is made in QUINTET_VAR.",
                id="quintet.E002",
            )
        )
    if settings.DEBUG and settings.HOST not in LOOPBACK:
        errors.append(
            Error(
                f"DEBUG is on while the site listens on {settings.HOST}.",
                hint="Set DEBUG=0, or HOST=127.0.0.1.",
                id="quintet.E003",
            )
        )
    return errors
