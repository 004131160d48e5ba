"""/tasks/{id}: a run, while it goes on and afterwards."""

from typing import Any
from uuid import UUID

from django.http import HttpResponse
from django.http.response import HttpResponseBase
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiParameter, OpenApiResponse, extend_schema
from rest_framework import status
from rest_framework.exceptions import ValidationError
from rest_framework.request import Request
from rest_framework.response import Response

from agents.events import AgentThought, Audience
from agents.outcome import RunStatus
from apps.api.async_views import AsyncResourceView
from apps.api.messages import MessageSerializer
from apps.api.permissions import MayChat, caller_of
from apps.api.resources import ResourceView
from apps.api.revocation import while_valid
from apps.api.server_sent_events import answer_with_events
from apps.conversations.models import Message
from apps.runs.access import find_message
from apps.runs.audience import audience_of
from apps.runs.database import in_database
from apps.runs.reading import follow_run
from apps.runs.stop import stop_run

LARGEST_SEQ = 2**31 - 1


def find_task(request: Request, task_id: UUID) -> tuple[Message, Audience]:
    """The run's row and how much of it the caller sees; raises RunRefused `not_found`."""
    caller = caller_of(request)
    message = find_message(caller, task_id=str(task_id))
    return message, audience_of(caller, message.conversation.app, message.app_config)


class Task(ResourceView):
    """How a run stands, with its answer once it has ended."""

    serializer_class = MessageSerializer
    read_permission = MayChat

    @extend_schema(responses=MessageSerializer)
    def get(self, request: Request, task_id: UUID) -> Response:
        return Response(_shown(*find_task(request, task_id)))


class StopTask(ResourceView):
    """Ask a run to stop. Its end arrives as the event `stop`; on an ended run nothing happens."""

    serializer_class = MessageSerializer
    write_permission = MayChat

    @extend_schema(request=None, responses={202: MessageSerializer})
    def post(self, request: Request, task_id: UUID) -> Response:
        message, audience = find_task(request, task_id)
        stop_run(message)
        return Response(_shown(message, audience), status=status.HTTP_202_ACCEPTED)


class TaskEvents(AsyncResourceView):
    """The events of a run after a given one: those that happened, then those that happen."""

    read_permission = MayChat

    @extend_schema(
        parameters=[
            OpenApiParameter("after", int, description="The last sequence number you have."),
            OpenApiParameter("Last-Event-ID", int, OpenApiParameter.HEADER),
        ],
        responses={
            (200, "text/event-stream"): OpenApiResponse(AgentThought, description="One a frame."),
            204: OpenApiResponse(description="The run has ended and you have read all of it."),
        },
    )
    async def get(self, request: Request, task_id: UUID) -> HttpResponseBase:
        after = _last_read(request)
        message, audience = await in_database(find_task, request, task_id)
        if RunStatus(message.status).is_final and after >= message.last_seq:
            return HttpResponse(status=status.HTTP_204_NO_CONTENT)
        thoughts = follow_run(str(task_id), after=after, audience=audience)
        return answer_with_events(message, while_valid(request, thoughts))


def _last_read(request: Request) -> int:
    """`Last-Event-ID` wins: a browser that reconnects repeats the address it began with."""
    text = request.headers.get("Last-Event-ID") or request.query_params.get("after") or "0"
    if not (text.isascii() and text.isdigit() and len(text) <= 10 and int(text) <= LARGEST_SEQ):
        raise ValidationError(
            {"after": [_("Send the sequence number of the last event you have.")]}
        )
    return int(text)


def _shown(message: Message, audience: Audience) -> dict[str, Any]:
    return dict(MessageSerializer(message, context={"audience": audience}).data)
