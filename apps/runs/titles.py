"""The title of a conversation: written once, by the auxiliary model or from the question."""

from django.db.models import F
from django.utils.translation import gettext as _

from agents.models.inference import ModelCallError
from apps.conversations.models import Conversation, Message
from apps.providers.specs import model_spec
from apps.runs.auxiliary_call import AuxiliaryCall, auxiliary_model
from apps.usage.models import ModelCall

LONGEST_TITLE = 60
FROM_QUESTION = 30
SYSTEM = (
    "Write a title for the conversation that begins with the following question and answer: at most six words, "
    "in the language of the question, without quotes or a full stop. Answer with the title alone."
)


def title_conversation(conversation_id: str) -> None:
    """Name it for good: by the model, else by the question, else by a word; a model that fails is counted.

    Compare-and-set on the empty title: whoever named the conversation meanwhile keeps their name.
    """
    first = (
        Message.objects.select_related(
            "conversation", "app_config__model__provider", "app_config__auxiliary_model__provider"
        )
        .filter(conversation_id=conversation_id, conversation__title="", is_deleted=False)
        .order_by("created_at")
        .first()
    )
    if first is None:
        return
    title = _ask(first)
    Conversation.objects.filter(pk=conversation_id, title="").update(
        title=title or _clean(first.query)[:FROM_QUESTION].strip() or _("Untitled"),
        failed_duties=F("failed_duties") + int(title is None),
    )


def _ask(message: Message) -> str | None:
    """The model's title; "" where no model is to be asked, None when it failed or said nothing."""
    model = auxiliary_model(message)
    if model is None:
        return ""
    call = AuxiliaryCall(
        model=model_spec(model),
        conversation=message.conversation,
        purpose=ModelCall.Purpose.TITLE,
        max_tokens=40,
    )
    exchange = f"Question: {message.query[:2000]}\n\nAnswer: {message.answer[:2000]}"
    try:
        return _clean(call.run(call.complete(SYSTEM, exchange))) or None
    except ModelCallError:
        return None  # the failed call stands in the ledger


def _clean(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line.strip().strip("\"'“”「」#* ").rstrip(".。")[:LONGEST_TITLE].strip()
