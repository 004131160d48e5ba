"""Which turns of a conversation its summary does not tell yet."""

from collections.abc import Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db import connection
from django.db.models import Q

from agents.outcome import FinishReason
from apps.conversations.history import MARKS, WHOLE
from apps.conversations.models import Conversation, Message

TURNS_AT_ONCE = 50
# The same as `history.is_sent`, for the database.
IS_SENT = (
    Q(is_deleted=False)
    & ~Q(finish_reason=FinishReason.CONTENT_FILTER)
    & (Q(status__in=WHOLE) | (Q(status__in=MARKS) & ~Q(answer="")))
)

_LINE = """
WITH RECURSIVE line AS (
    SELECT id, parent_id, 1 AS distance FROM conversations_message WHERE id = %s
    UNION ALL
    SELECT m.id, m.parent_id, line.distance + 1
    FROM conversations_message m JOIN line ON m.id = line.parent_id
)
SELECT id FROM line ORDER BY distance DESC
"""


@dataclass(frozen=True, kw_only=True)
class Uncovered:
    """Turns to be told, oldest first, at most TURNS_AT_ONCE of them.

    `goes_on`: they follow on the watermark. Otherwise the summary tells turns that were answered anew, and
    these are the first ones of the line that replaced them.
    """

    messages: Sequence[Message]
    goes_on: bool


def uncovered_turns(conversation: Conversation) -> Uncovered:
    """The turns behind the watermark on the line to the newest turn that models may see."""
    newest = conversation.messages.filter(IS_SENT).order_by("-created_at", "-id").first()
    if newest is None:
        return Uncovered(messages=(), goes_on=True)
    line = _line_to(newest)
    covered = conversation.summary_covers_id
    goes_on = covered is None or covered in line
    behind = line[line.index(covered) + 1 :] if covered in line else line
    messages = (
        Message.objects.filter(IS_SENT, pk__in=behind)
        .select_related("app_config__model__provider", "app_config__auxiliary_model__provider")
        .order_by("created_at", "id")[:TURNS_AT_ONCE]
    )
    return Uncovered(messages=list(messages), goes_on=goes_on)


def _line_to(message: Message) -> list[UUID]:
    """The ids of a turn and those it stands behind, oldest first."""
    key = Message._meta.pk.get_db_prep_value(message.pk, connection)
    return [ancestor.pk for ancestor in Message.objects.raw(_LINE, [key])]
