"""WebSocket paths, and what stands in front of them."""

from typing import Any

from channels.routing import URLRouter
from django.conf import settings
from django.urls import path, re_path

from apps.chat.consumers import ChatConsumer, UnknownPathConsumer
from apps.chat.origins import OnlyFromSite


def application_of(consumer: Any) -> Any:
    """The ASGI application that makes one `consumer` a connection."""
    return consumer.as_asgi()


websocket_urlpatterns = [
    path("ws/chat/", application_of(ChatConsumer)),
    re_path("", application_of(UnknownPathConsumer)),
]
websocket_application = OnlyFromSite(URLRouter(websocket_urlpatterns), settings.SITE_ORIGINS)
