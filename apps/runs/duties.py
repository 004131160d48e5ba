"""What is owed after an answer, derived from rows: which conversations lack a title or a summary."""

from datetime import timedelta
from uuid import UUID

from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.db.models.functions import Now

from apps.conversations.history import WHOLE
from apps.conversations.models import Conversation, Message

SWEEP_BACK = timedelta(days=2)
MOST_FAILURES = 3
AT_ONCE = 200


def due_titles() -> list[UUID]:
    """Conversations with an answer and without a title."""
    answered = Message.objects.filter(conversation=OuterRef("pk"), status__in=WHOLE)
    return list(_recent().filter(Exists(answered), title="").values_list("pk", flat=True)[:AT_ONCE])


def due_summaries() -> list[UUID]:
    """Conversations with long-term memory whose summary does not cover their newest answered turn."""
    uncovered = Message.objects.filter(
        Q(conversation__summary_covers=None)
        | Q(created_at__gt=F("conversation__summary_covers__created_at")),
        conversation=OuterRef("pk"),
        status__in=WHOLE,
        app_config__long_term_memory=True,
        is_deleted=False,
    ).exclude(finish_reason="content_filter")
    return list(_recent().filter(Exists(uncovered)).values_list("pk", flat=True)[:AT_ONCE])


def _recent() -> QuerySet[Conversation]:
    """Conversations whose duties did not fail again and again; a new turn tries once more anyway."""
    return Conversation.objects.filter(
        is_deleted=False, updated_at__gt=Now() - SWEEP_BACK, failed_duties__lt=MOST_FAILURES
    )
