"""The long-term memory of a conversation: a summary that grows turn by turn, under a watermark."""

from collections.abc import Sequence

from django.db.models import F

from agents.models.inference import ModelCallError
from agents.outcome import RunStatus
from apps.conversations.history import MARKS
from apps.conversations.models import Conversation, Message
from apps.providers.specs import model_spec
from apps.runs.auxiliary_call import AuxiliaryCall, auxiliary_model
from apps.runs.uncovered import uncovered_turns
from apps.usage.models import ModelCall
from memory.summary import write_summary, write_summary_without_model
from memory.token_buffer import Turn

SUMMARY_TOKENS = 1200


def summarise_conversation(conversation_id: str) -> None:
    """Fold the turns behind the watermark into the summary, compare-and-set on the watermark.

    Tasks for turns 3, 2 and 2 in any order end at 3: each reads what is uncovered now, and a slower one loses.
    """
    conversation = Conversation.objects.get(pk=conversation_id)
    uncovered = uncovered_turns(conversation)
    if not uncovered.messages:
        return
    old_summary = conversation.summary if uncovered.goes_on else ""
    summary = _write(conversation, old_summary, uncovered.messages)
    same = Conversation.objects.filter(
        pk=conversation_id, summary_covers=conversation.summary_covers_id
    )
    if summary is None:
        same.update(failed_duties=F("failed_duties") + 1)
    else:
        same.update(summary=summary, summary_covers=uncovered.messages[-1], failed_duties=0)


def _write(conversation: Conversation, old_summary: str, messages: Sequence[Message]) -> str | None:
    turns = [
        Turn(query=m.query, answer=m.answer, mark=MARKS.get(RunStatus(m.status), ""))
        for m in messages
    ]
    model = auxiliary_model(messages[-1])
    if model is None:
        return write_summary_without_model(old_summary=old_summary, turns=turns)
    call = AuxiliaryCall(
        model=model_spec(model),
        conversation=conversation,
        purpose=ModelCall.Purpose.SUMMARY,
        max_tokens=SUMMARY_TOKENS,
    )
    try:
        return call.run(write_summary(call.complete, old_summary=old_summary, turns=turns))
    except ModelCallError:
        return None  # booked as failed; the old summary stays and a later turn tries again
