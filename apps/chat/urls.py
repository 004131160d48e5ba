"""Paths of the pages people talk on; the debugger has the same ones below its own."""

from django.urls import URLPattern, path

from apps.chat import views


def page_paths(base: str, name: str, opened: str, *, is_draft: bool) -> list[URLPattern]:
    """The pages of one App below `base`. `name` names the empty page, `opened` one with a conversation."""
    thread = f"{base}c/<uuid:conversation_id>/"
    told = {"is_draft": is_draft}
    return [
        path(base, views.new_conversation, told, name=name),
        path(thread, views.conversation, told, name=opened),
        path(f"{thread}turns/", views.turns, told, name=f"{opened}_turns"),
        path(f"{thread}turns/<uuid:message_id>/", views.turn, told, name=f"{opened}_turn"),
        path(f"{thread}turns/<uuid:message_id>/steps/", views.steps, told, name=f"{opened}_steps"),
        path(f"{thread}rename/", views.rename, told, name=f"{opened}_rename"),
        path(f"{thread}delete/", views.delete, told, name=f"{opened}_delete"),
    ]


urlpatterns = [
    path("", views.home, name="home"),
    *page_paths("apps/<slug:slug>/", "chat", "conversation", is_draft=False),
    *page_paths(
        "studio/apps/<slug:slug>/debug/", "debugger", "debugger_conversation", is_draft=True
    ),
]
