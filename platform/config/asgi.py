"""The site as an ASGI application: HTTP, WebSocket and static files, with the runs that live beside them."""

import os
from collections.abc import Awaitable, Callable
from typing import Any

from channels.routing import ProtocolTypeRouter
from django.contrib.staticfiles.handlers import ASGIStaticFilesHandler
from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
http_application = get_asgi_application()

from apps.chat.routing import websocket_application  # noqa: E402 -- models are loaded only now
from apps.runs.housekeeping import begin_housekeeping  # noqa: E402

Send = Callable[[dict[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[dict[str, Any]]]

_protocols = ProtocolTypeRouter(
    {"http": ASGIStaticFilesHandler(http_application), "websocket": websocket_application}
)


async def application(scope: dict[str, Any], receive: Receive, send: Send) -> None:
    """Route a connection; the first one starts the housekeeping of runs where no `serve` did."""
    begin_housekeeping()
    await _protocols(scope, receive, send)
