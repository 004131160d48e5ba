"""Deleting a conversation: it leaves every list, and nothing in it goes on."""

from agents.outcome import UNFINISHED
from apps.conversations.models import Conversation
from apps.runs.stop import stop_run


def delete_conversation(conversation: Conversation) -> None:
    """Hide it and stop its unfinished runs, queued ones too."""
    conversation.is_deleted = True
    conversation.save(update_fields=["is_deleted"])
    for message in conversation.messages.filter(status__in=UNFINISHED):
        stop_run(message)
