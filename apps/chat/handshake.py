"""Who opens a WebSocket: the session's user or the API key's."""

from dataclasses import dataclass, field
from http.cookies import CookieError, SimpleCookie
from typing import Any

from django.conf import settings
from django.contrib.auth import get_user
from django.contrib.sessions.backends.db import SessionStore
from django.http import HttpRequest

from apps.accounts.api_keys import find_api_key
from apps.accounts.authentication import bearer_secret
from apps.accounts.callers import caller_for_api_key, caller_for_user
from apps.accounts.models import Caller, User


@dataclass(frozen=True, kw_only=True)
class Credentials:
    """What a handshake carried: an API key's secret, or a session key. The secret wins.

    Neither is in the `repr`, so that no log shows it.
    """

    secret: str | None = field(repr=False)
    session_key: str | None = field(repr=False)


def header_values(scope: dict[str, Any], name: str) -> list[str]:
    """All values of a request header."""
    wanted = name.encode()
    return [value.decode("latin-1") for header, value in scope["headers"] if header == wanted]


def credentials_in(scope: dict[str, Any]) -> Credentials:
    """Read from the headers only: never from the address, a message or a second header."""
    cookies: SimpleCookie = SimpleCookie()
    try:
        for header in header_values(scope, "cookie"):
            cookies.load(header)
    except CookieError:
        cookies.clear()
    session = cookies.get(settings.SESSION_COOKIE_NAME)
    secrets = [bearer_secret(value) for value in header_values(scope, "authorization")]
    return Credentials(
        secret=next(filter(None, secrets), None), session_key=session.value if session else None
    )


def find_caller(credentials: Credentials) -> Caller | None:
    """The caller whom these credentials name now, or None. At most three statements."""
    if credentials.secret is not None:
        key = find_api_key(credentials.secret)
        return caller_for_api_key(key) if key else None
    user = session_user(credentials.session_key) if credentials.session_key else None
    return caller_for_user(user) if user else None


def session_user(session_key: str) -> User | None:
    """The active user of a session that is valid: not expired, not logged out, password unchanged."""
    request = HttpRequest()
    request.session = SessionStore(session_key)
    user = get_user(request)
    return user if isinstance(user, User) else None
