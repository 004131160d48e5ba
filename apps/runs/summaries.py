"""The long-term memory of a conversation: a summary that grows turn by turn, under a watermark."""

from collections.abc import Sequence

from django.db.models import F

from agents.models.inference import ModelCallError
from agents.outcome import RunStatus
from apps.conversations.history import MARKS, is_sent
from apps.conversations.models import Conversation, Message
from apps.providers.specs import model_spec
from apps.runs.completion import Completion
from apps.runs.titles import auxiliary_model
from apps.usage.models import ModelCall
from memory.summary import write_summary, write_summary_without_model
from memory.token_buffer import Turn

TURNS_AT_ONCE = 50
SUMMARY_TOKENS = 1200


def summarise_conversation(conversation_id: str) -> None:
    """Fold the turns behind the watermark into the summary, compare-and-set on the watermark.

    Tasks for turns 3, 2 and 2 in any order end at 3: each reads what is uncovered now, and a slower one loses.
    """
    conversation = Conversation.objects.select_related("summary_covers").get(pk=conversation_id)
    messages = uncovered_turns(conversation)
    if not messages:
        return
    summary = _write(conversation, messages)
    same = Conversation.objects.filter(
        pk=conversation_id, summary_covers=conversation.summary_covers
    )
    if summary is None:
        same.update(failed_duties=F("failed_duties") + 1)
    else:
        same.update(summary=summary, summary_covers=messages[-1], failed_duties=0)


def uncovered_turns(conversation: Conversation) -> list[Message]:
    """Ended turns after the watermark, oldest first; of regenerated ones only the newest."""
    messages = conversation.messages.filter(is_deleted=False).order_by("created_at")
    if covers := conversation.summary_covers:
        messages = messages.filter(created_at__gt=covers.created_at)
    recent = messages.select_related(
        "conversation", "app_config__model__provider", "app_config__auxiliary_model__provider"
    )[:TURNS_AT_ONCE]
    newest = {message.parent_id or message.pk: message for message in recent if is_sent(message)}
    return sorted(newest.values(), key=lambda message: message.created_at)


def _write(conversation: Conversation, messages: Sequence[Message]) -> str | None:
    turns = [
        Turn(query=m.query, answer=m.answer, mark=MARKS.get(RunStatus(m.status), ""))
        for m in messages
    ]
    model = auxiliary_model(messages[-1])
    if model is None:
        return write_summary_without_model(old_summary=conversation.summary, turns=turns)
    completion = Completion(
        model=model_spec(model),
        conversation=conversation,
        purpose=ModelCall.Purpose.SUMMARY,
        max_tokens=SUMMARY_TOKENS,
    )
    try:
        return completion.run(
            write_summary(completion.complete, old_summary=conversation.summary, turns=turns)
        )
    except ModelCallError:
        return None  # booked as failed; the old summary stays and a later turn tries again
