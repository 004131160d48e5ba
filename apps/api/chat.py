"""/apps/{slug}/chat: a question, answered whole or as a stream of events."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, extend_schema
from rest_framework import serializers
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request

from agents.events import Audience
from apps.accounts.models import Caller
from apps.api.answering import RUN_RESPONSES, AnswerOrder, answer_run, apps_to_ask
from apps.api.async_views import AsyncResourceView
from apps.api.permissions import MayChat, caller_of
from apps.conversations.models import Conversation, Entry, Message
from apps.conversations.queries import conversations_of
from apps.runs.access import not_found
from apps.runs.audience import audience_of
from apps.runs.database import in_database
from apps.runs.start import Question, start_run
from apps.studio.models import App

PUBLISHED = "published_config"


class ChatSerializer(AnswerOrder):
    """A question. Without `conversation_id` a new conversation begins."""

    query = serializers.CharField(allow_blank=True, trim_whitespace=False)
    conversation_id = serializers.UUIDField(required=False, allow_null=True, default=None)
    client_request_id = serializers.CharField(
        required=False,
        allow_null=True,
        default=None,
        max_length=100,
        help_text="The same id and question give the same run.",
    )
    draft = serializers.BooleanField(
        default=False, help_text="Ask the draft instead of the published version (builders)."
    )


class Chat(AsyncResourceView):
    """Ask an App. The run goes on when the connection is lost; `/tasks/{task_id}/events` finds it again."""

    serializer_class = ChatSerializer
    write_permission = MayChat

    @extend_schema(
        parameters=[OpenApiParameter("Idempotency-Key", str, OpenApiParameter.HEADER)],
        responses=RUN_RESPONSES,
    )
    async def post(self, request: Request, slug: str) -> HttpResponseBase:
        message, audience, is_stream = await in_database(_ask, request, slug)
        return await answer_run(request, message, audience, is_stream=is_stream)


def _read_order(request: Request) -> dict[str, Any]:
    serializer = ChatSerializer(data=request.data)
    serializer.is_valid(raise_exception=True)
    order = dict(serializer.validated_data)
    key = request.headers.get("Idempotency-Key")
    if key is not None:
        _check_request_id(key, in_body=order["client_request_id"])
        order["client_request_id"] = key
    return order


def _check_request_id(key: str, *, in_body: str | None) -> None:
    if in_body not in {None, key} or not 0 < len(key) <= 100:
        raise ValidationError(
            {
                "client_request_id": [
                    _(
                        "The header Idempotency-Key has 1 to 100 characters and says the same as "
                        "client_request_id. Send one of them."
                    )
                ]
            }
        )


def _ask(request: Request, slug: str) -> tuple[Message, Audience, bool]:
    """The run's message, how much of it the caller sees, and whether events are wanted."""
    order = _read_order(request)
    caller = caller_of(request)
    apps = apps_to_ask(request, is_draft=order["draft"]).filter(slug=slug)
    place = _find_place(caller, apps, order["conversation_id"])
    message = start_run(
        Question(
            caller=caller,
            app=place.app,
            query=order["query"],
            entry=Entry.DEBUGGER if order["draft"] else Entry.API,
            conversation=place.conversation,
            client_request_id=order["client_request_id"],
            use_draft=order["draft"],
        )
    )
    audience = audience_of(caller, place.app, message.app_config, is_editor=place.is_editor)
    return message, audience, order["stream"]


@dataclass(frozen=True, kw_only=True)
class _Place:
    """Where a question is asked, and whether the caller is an editor of the App."""

    app: App
    conversation: Conversation | None
    is_editor: bool


def _find_place(caller: Caller, apps: QuerySet[App], conversation_id: UUID | None) -> _Place:
    """The App, and the conversation if one is named; one statement either way."""
    if conversation_id is None:
        found = apps.annotate(is_editor=_edits(caller, app="pk")).select_related(PUBLISHED).first()
        if found is None:
            raise Http404
        return _Place(app=found, conversation=None, is_editor=found.is_editor)
    mine = conversations_of(caller).filter(pk=conversation_id, app__in=apps)
    named = mine.annotate(is_editor=_edits(caller, app="app")).select_related(f"app__{PUBLISHED}")
    conversation = named.first()
    if conversation is None:
        raise not_found(str(conversation_id))
    return _Place(app=conversation.app, conversation=conversation, is_editor=conversation.is_editor)


def _edits(caller: Caller, *, app: str) -> Exists:
    """Whether the caller is an editor of the App in this column."""
    return Exists(App.editors.through.objects.filter(user=caller.user_id, app=OuterRef(app)))
