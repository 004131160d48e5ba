"""WebSocket paths. `origins.OnlyFromSite` stands in front of them."""

from typing import Any

from django.urls import path, re_path

from apps.chat.consumers import ChatConsumer, UnknownPathConsumer


def application_of(consumer: Any) -> Any:
    """The ASGI application that makes one `consumer` a connection."""
    return consumer.as_asgi()


websocket_urlpatterns = [
    path("ws/chat/", application_of(ChatConsumer)),
    re_path("", application_of(UnknownPathConsumer)),
]
