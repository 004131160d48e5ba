"""Every path below /api/, each with and without its trailing slash."""

from django.urls import include, path, re_path
from drf_spectacular.views import SpectacularAPIView

from apps.api.app_catalogue import AppDetail, AppList
from apps.api.chat import Chat
from apps.api.configurations import Draft, Publish, Restore, VersionDetail, VersionList
from apps.api.conversations import AppConversations, ConversationDetail, ConversationList
from apps.api.error_pages import UnknownPath
from apps.api.language_models import LanguageModelDetail, LanguageModelList
from apps.api.messages import ConversationMessages, Steps
from apps.api.model_providers import ModelProviderDetail, ModelProviderList, ProviderTest
from apps.api.openapi import Documentation
from apps.api.regeneration import Regenerate
from apps.api.routes import route
from apps.api.tasks import StopTask, Task, TaskEvents
from apps.api.tools import ToolDetail, ToolList

resources = [
    route("model-providers", ModelProviderList.as_view(), "model-providers"),
    route("model-providers/<int:pk>", ModelProviderDetail.as_view(), "model-provider"),
    route("model-providers/<int:pk>/test", ProviderTest.as_view(), "test-model-provider"),
    route("language-models", LanguageModelList.as_view(), "language-models"),
    route("language-models/<int:pk>", LanguageModelDetail.as_view(), "language-model"),
    route("tools", ToolList.as_view(), "tools"),
    route("tools/<str:name>", ToolDetail.as_view(), "tool"),
    route("apps", AppList.as_view(), "apps"),
    route("apps/<slug:slug>", AppDetail.as_view(), "app"),
    route("apps/<slug:slug>/draft", Draft.as_view(), "draft"),
    route("apps/<slug:slug>/publish", Publish.as_view(), "publish"),
    route("apps/<slug:slug>/restore", Restore.as_view(), "restore"),
    route("apps/<slug:slug>/versions", VersionList.as_view(), "versions"),
    route("apps/<slug:slug>/versions/<int:version>", VersionDetail.as_view(), "version"),
    route("apps/<slug:slug>/conversations", AppConversations.as_view(), "app-conversations"),
    route("apps/<slug:slug>/chat", Chat.as_view(), "chat"),
    route("conversations", ConversationList.as_view(), "conversations"),
    route("conversations/<uuid:conversation_id>", ConversationDetail.as_view(), "conversation"),
    route(
        "conversations/<uuid:conversation_id>/messages", ConversationMessages.as_view(), "messages"
    ),
    route("messages/<uuid:message_id>/steps", Steps.as_view(), "steps"),
    route("messages/<uuid:message_id>/regenerate", Regenerate.as_view(), "regenerate"),
    route("tasks/<uuid:task_id>", Task.as_view(), "task"),
    route("tasks/<uuid:task_id>/events", TaskEvents.as_view(), "task-events"),
    route("tasks/<uuid:task_id>/stop", StopTask.as_view(), "stop-task"),
]

urlpatterns = [
    path("api/v1/", include((resources, "api"))),
    route("api/schema", SpectacularAPIView.as_view(), "schema"),
    route("api/docs", Documentation.as_view(), "docs"),
    re_path(r"^api(/.*)?$", UnknownPath.as_view()),
]
