"""/conversations/{id}/messages and /messages/{id}/steps: what was asked, answered and done."""

from functools import cached_property
from typing import Any
from uuid import UUID

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from drf_spectacular.utils import extend_schema, extend_schema_field
from pydantic import BaseModel
from rest_framework import generics, serializers
from rest_framework.request import Request
from rest_framework.response import Response

from agents.events import AgentThought, Audience
from agents.projection import error_for, for_audience
from apps.api.conversations import conversations_within_reach
from apps.api.pagination import MessagePages
from apps.api.permissions import MayChat, caller_of
from apps.api.resources import ResourceView
from apps.api.token_usage import TokenUsage, token_usage
from apps.conversations.models import Conversation, Message
from apps.conversations.steps import thought_of_step
from apps.runs.access import find_message
from apps.runs.audience import audience_of

_WITH_REASONING = frozenset({Audience.BUILDER, Audience.ASKER_FULL})


class MessageSteps(BaseModel):
    """The stored steps of a message, in order, as far as the App shows them to you."""

    steps: list[AgentThought]


class RunErrorSerializer(serializers.Serializer[Any]):
    """Why a run did not end normally."""

    code = serializers.CharField()
    message = serializers.CharField()
    retryable = serializers.BooleanField()


class MessageSerializer(serializers.ModelSerializer[Message]):
    """One turn. Needs `audience` in its context."""

    message_id = serializers.UUIDField(source="id")
    conversation_id = serializers.UUIDField()
    parent_id = serializers.UUIDField(allow_null=True)
    reasoning = serializers.SerializerMethodField()
    error = serializers.SerializerMethodField()
    usage = serializers.SerializerMethodField()

    class Meta:
        model = Message
        fields = (
            "message_id",
            "conversation_id",
            "task_id",
            "parent_id",
            "entry",
            "query",
            "answer",
            "reasoning",
            "status",
            "error",
            "finish_reason",
            "iteration_count",
            "usage",
            "price",
            "currency",
            "latency",
            "created_at",
            "ended_at",
        )
        read_only_fields = fields

    @extend_schema_field(RunErrorSerializer(allow_null=True))
    def get_error(self, message: Message) -> dict[str, Any] | None:
        return error_for(message.error, self.context["audience"]) if message.error else None

    def get_reasoning(self, message: Message) -> str:
        return message.reasoning if self.context["audience"] in _WITH_REASONING else ""

    @extend_schema_field(TokenUsage)  # type: ignore[arg-type]  # pydantic models are understood too
    def get_usage(self, message: Message) -> dict[str, Any]:
        usage = token_usage(message.input_tokens, message.output_tokens, message.confidence)
        return usage.model_dump()


class ConversationMessages(ResourceView, generics.ListAPIView[Message]):
    """The turns of one of your conversations, oldest first, ≤ 50 a page; `?page=last` for the newest."""

    serializer_class = MessageSerializer
    pagination_class = MessagePages
    read_permission = MayChat

    @cached_property
    def conversation(self) -> Conversation:
        mine = conversations_within_reach(self.request).select_related("app__published_config")
        return get_object_or_404(mine, pk=self.kwargs["conversation_id"])

    def get_queryset(self) -> QuerySet[Message]:
        return self.conversation.messages.filter(is_deleted=False)

    def get_serializer_context(self) -> dict[str, Any]:
        app = self.conversation.app
        audience = audience_of(caller_of(self.request), app, app.published_config)
        return {**super().get_serializer_context(), "audience": audience}


class Steps(ResourceView):
    """What a run did for its answer: thoughts, tool calls, retrievals."""

    read_permission = MayChat

    @extend_schema(responses=MessageSteps)
    def get(self, request: Request, message_id: UUID) -> Response:
        caller = caller_of(request)
        message = find_message(caller, message_id=str(message_id))
        audience = audience_of(caller, message.conversation.app, message.app_config)
        steps = MessageSteps(steps=_visible_steps(message, audience))
        return Response(steps.model_dump(mode="json", exclude_none=True))


def _visible_steps(message: Message, audience: Audience) -> list[AgentThought]:
    rows = message.thoughts.order_by("position")
    steps = (for_audience(thought_of_step(row, str(message.task_id)), audience) for row in rows)
    return [step for step in steps if step is not None]
