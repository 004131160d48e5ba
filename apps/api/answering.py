"""What every endpoint that starts a run shares: which Apps it may ask, and its two kinds of answer."""

from typing import Any

from django.db.models import QuerySet
from django.http.response import HttpResponseBase, JsonResponse
from django.utils.translation import gettext as _
from drf_spectacular.utils import OpenApiResponse
from rest_framework import serializers
from rest_framework.exceptions import PermissionDenied
from rest_framework.request import Request

from agents.events import AgentThought, Audience
from apps.api.app_catalogue import editable_apps, visible_apps
from apps.api.collecting import RunAnswer, collect_answer
from apps.api.permissions import may_configure
from apps.api.revocation import while_valid
from apps.api.server_sent_events import answer_with_events
from apps.conversations.models import Message
from apps.runs.reading import follow_run
from apps.studio.models import App
from apps.studio.strict_fields import StrictFields

RUN_RESPONSES: dict[Any, Any] = {
    (200, "application/json"): RunAnswer,
    (200, "text/event-stream"): OpenApiResponse(
        AgentThought, description="One event a frame, with `stream: true`."
    ),
}


class AnswerOrder(StrictFields):
    """How the answer is wanted."""

    stream = serializers.BooleanField(default=False, help_text="Events instead of one answer.")


def apps_to_ask(request: Request, *, is_draft: bool) -> QuerySet[App]:
    """The published versions that the caller may ask, or the drafts. Raises PermissionDenied."""
    if not is_draft:
        return visible_apps(request)
    if not may_configure(request):
        raise PermissionDenied(
            _("Only builders may ask a draft, with a key that has the scope 'manage'."),
            code="draft_refused",
        )
    return editable_apps(request)


async def answer_run(
    request: Request, message: Message, audience: Audience, *, is_stream: bool
) -> HttpResponseBase:
    """The run's whole answer when it has ended, or its events as they come."""
    thoughts = while_valid(request, follow_run(str(message.task_id), after=0, audience=audience))
    if is_stream:
        return answer_with_events(message, thoughts)
    answer = await collect_answer(message, thoughts)
    return JsonResponse(answer.as_json(), json_dumps_params={"ensure_ascii": False})
