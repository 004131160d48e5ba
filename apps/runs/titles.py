"""The title of a conversation: written once, by the auxiliary model or from the question."""

from agents.models.inference import ModelCallError
from apps.conversations.models import Conversation, Message
from apps.providers.models import LanguageModel
from apps.providers.specs import model_spec
from apps.runs.completion import Completion
from apps.usage.models import ModelCall

LONGEST_TITLE = 60
FROM_QUESTION = 30
SYSTEM = (
    "Write a title for the conversation that begins with the following question and answer: at most six words, "
    "in the language of the question, without quotes or a full stop. Answer with the title alone."
)


def title_conversation(conversation_id: str) -> None:
    """Compare-and-set on the empty title: whoever named the conversation meanwhile keeps their name."""
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
    title = _clean(_ask(first)) or _clean(first.query)[:FROM_QUESTION].strip()
    Conversation.objects.filter(pk=conversation_id, title="").update(title=title)


def _ask(message: Message) -> str:
    model = auxiliary_model(message)
    if model is None:
        return ""
    completion = Completion(
        model=model_spec(model),
        conversation=message.conversation,
        purpose=ModelCall.Purpose.TITLE,
        max_tokens=40,
    )
    exchange = f"Question: {message.query[:2000]}\n\nAnswer: {message.answer[:2000]}"
    try:
        return completion.run(completion.complete(SYSTEM, exchange))
    except ModelCallError:
        return ""  # the failed call stands in the ledger; the question names the conversation


def auxiliary_model(message: Message) -> LanguageModel | None:
    """The model for work beside the conversation, if it can be used."""
    config = message.app_config
    model = (config.auxiliary_model or config.model) if config else None
    return model if model and model.is_enabled and model.provider.is_enabled else None


def _clean(text: str) -> str:
    line = next((line for line in text.splitlines() if line.strip()), "")
    return line.strip().strip("\"'“”「」#* ").rstrip(".。")[:LONGEST_TITLE].strip()
