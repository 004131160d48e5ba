"""Which pages may open a WebSocket here: only this site's own (cross-site WebSocket hijacking)."""

from collections.abc import Collection
from typing import Any

from channels.security.websocket import WebsocketDenier

from apps.accounts.authentication import bearer_secret
from apps.chat.handshake import header_values


class OnlyFromSite:
    """Refuses a handshake (403) unless its Origin is, letter by letter, one of ours.

    Browsers always send one; a program without it must show an API key instead of a cookie. Compared whole, as
    browsers write it: host comparison alone would ignore scheme and port.
    """

    def __init__(self, application: Any, origins: Collection[str]) -> None:
        self._application = application
        self._origins = frozenset(origin.rstrip("/").lower() for origin in origins)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        application = self._application if self._is_welcome(scope) else WebsocketDenier()
        await application(scope, receive, send)

    def _is_welcome(self, scope: dict[str, Any]) -> bool:
        origins = header_values(scope, "origin")
        if origins:
            return all(origin in self._origins for origin in origins)
        return any(bearer_secret(value) for value in header_values(scope, "authorization"))
