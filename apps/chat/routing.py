"""WebSocket paths."""

from channels.routing import URLRouter
from django.conf import settings
from django.urls import path, re_path

from apps.chat.consumers import ChatConsumer, UnknownPathConsumer
from apps.chat.origins import OnlyFromSite

websocket_urlpatterns = [
    path("ws/chat/", ChatConsumer.as_asgi()),
    re_path("", UnknownPathConsumer.as_asgi()),
]
websocket_application = OnlyFromSite(URLRouter(websocket_urlpatterns), settings.SITE_ORIGINS)
