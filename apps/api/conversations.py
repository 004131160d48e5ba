"""/conversations and /apps/{slug}/conversations: the threads of whoever asks."""

from typing import Any, ClassVar

from django.db.models import QuerySet
from django.shortcuts import get_object_or_404
from rest_framework import generics, serializers
from rest_framework.request import Request

from apps.api.app_catalogue import visible_apps
from apps.api.permissions import MayChat, caller_of
from apps.api.resources import ResourceView
from apps.api.strict_fields import StrictModelSerializer
from apps.conversations.models import Conversation, Entry
from apps.conversations.queries import (
    conversations_of,
    rename_conversation,
)
from apps.runs.deletion import delete_conversation
from apps.studio.models import App


class ConversationSerializer(StrictModelSerializer):
    """A thread between you and one App; only its title is yours to set."""

    conversation_id = serializers.UUIDField(source="id", read_only=True)
    app = serializers.SlugRelatedField[App](slug_field="slug", read_only=True)

    class Meta:
        model = Conversation
        fields: tuple[str, ...] = (
            "conversation_id",
            "app",
            "title",
            "entry",
            "created_at",
            "updated_at",
        )
        read_only_fields: tuple[str, ...] = ("entry", "created_at", "updated_at")

    def update(self, instance: Conversation, validated_data: dict[str, Any]) -> Conversation:
        if "title" in validated_data:
            rename_conversation(instance, validated_data["title"])
        return instance


class ConversationDetailSerializer(ConversationSerializer):
    """A thread with what the App remembers of its earlier turns."""

    class Meta(ConversationSerializer.Meta):
        fields = (*ConversationSerializer.Meta.fields, "summary")
        read_only_fields = (*ConversationSerializer.Meta.read_only_fields, "summary")


def conversations_within_reach(request: Request) -> QuerySet[Conversation]:
    """The caller's conversations with Apps that are still visible to them, newest first."""
    return conversations_of(caller_of(request)).filter(app__in=visible_apps(request))


class Conversations(ResourceView):
    """Your conversations, newest first."""

    serializer_class = ConversationSerializer
    read_permission = MayChat
    write_permission = MayChat

    def get_queryset(self) -> QuerySet[Conversation]:
        return conversations_within_reach(self.request).select_related("app")


class ConversationList(Conversations, generics.ListAPIView[Conversation]):
    """All your conversations."""

    filter_lookups: ClassVar = {"app": "app__slug"}


class ConversationDetail(Conversations, generics.RetrieveUpdateDestroyAPIView[Conversation]):
    """One of your conversations."""

    serializer_class = ConversationDetailSerializer
    lookup_url_kwarg = "conversation_id"

    def perform_destroy(self, instance: Conversation) -> None:
        delete_conversation(instance)


class AppConversations(Conversations, generics.ListCreateAPIView[Conversation]):
    """Your conversations with one App; a new, empty one."""

    def get_queryset(self) -> QuerySet[Conversation]:
        return super().get_queryset().filter(app=self.find_app())

    def perform_create(self, serializer: serializers.BaseSerializer[Conversation]) -> None:
        serializer.save(app=self.find_app(), caller=caller_of(self.request), entry=Entry.API)

    def find_app(self) -> App:
        return get_object_or_404(visible_apps(self.request), slug=self.kwargs["slug"])
