"""/messages/{id}/regenerate: another answer to an own question."""

from uuid import UUID

from django.http.response import HttpResponseBase
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request

from agents.events import Audience
from apps.api.answering import RUN_RESPONSES, AnswerOrder, answer_run, apps_to_ask
from apps.api.async_views import AsyncResourceView
from apps.api.permissions import MayChat, caller_of
from apps.conversations.models import Entry, Message
from apps.runs.access import find_message, not_found
from apps.runs.audience import audience_of
from apps.runs.database import in_database
from apps.runs.regenerate import regenerate


class Regenerate(AsyncResourceView):
    """Answer your question again. The new answer stands beside the earlier one and does not see it."""

    serializer_class = AnswerOrder
    write_permission = MayChat

    @extend_schema(responses=RUN_RESPONSES)
    async def post(self, request: Request, message_id: UUID) -> HttpResponseBase:
        message, audience, is_stream = await in_database(_ask_again, request, message_id)
        return await answer_run(request, message, audience, is_stream=is_stream)


def _ask_again(request: Request, message_id: UUID) -> tuple[Message, Audience, bool]:
    """The new answer's message, how much of it the caller sees, and whether events are wanted."""
    order = AnswerOrder(data=request.data)
    order.is_valid(raise_exception=True)
    caller = caller_of(request)
    earlier = find_message(caller, message_id=str(message_id))
    app = earlier.conversation.app
    apps = apps_to_ask(request, is_draft=earlier.entry == Entry.DEBUGGER)
    if earlier.caller_id != caller.pk or not apps.filter(pk=app.pk).exists():
        raise not_found(str(message_id))
    message = regenerate(earlier, caller)
    audience = audience_of(caller, app, message.app_config)
    return message, audience, order.validated_data["stream"]
