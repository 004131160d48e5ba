"""The only door to a run: a question becomes a committed Message, then its run is submitted."""

import hashlib
from dataclasses import dataclass

from django.db import IntegrityError, transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from agents.outcome import UNFINISHED
from apps.accounts.models import Caller
from apps.conversations.models import Conversation, Entry, Message
from apps.runs.home import get_home
from apps.runs.rate import count_question
from apps.runs.refusal import RunRefused
from apps.runs.source import choose_config
from apps.runs.stop import stop_run
from apps.studio.models import App, AppConfig
from tools.definition import AgentContext

LONGEST_QUERY = 100_000
LONGEST_QUEUE = 8


@dataclass(frozen=True, kw_only=True)
class Question:
    """What an entry hands over. Rights to App and conversation were checked by the entry.

    Without a conversation a new one begins; without a parent the newest turn is the parent.
    """

    caller: Caller
    app: App
    query: str
    entry: Entry
    conversation: Conversation | None = None
    parent: Message | None = None
    is_rerun: bool = False
    client_request_id: str | None = None
    use_draft: bool = False


def start_run(question: Question) -> Message:
    """Commit the question as a Message and submit its run.

    The same `client_request_id` of one caller gives the same Message, which counts no question; raises RunRefused.
    The row stands before anything is sent to a model (MaxKB#5156).
    """
    if question.client_request_id and (earlier := _find_earlier(question)):
        return earlier
    count_question(question.caller)
    _check_query(question.query)
    config = choose_config(question.app, use_draft=question.use_draft)
    _check_model(config)
    try:
        with transaction.atomic():
            message = _open_message(question, config)
            transaction.on_commit(lambda: get_home().submit(str(message.task_id)))
    except IntegrityError:
        if question.client_request_id and (earlier := _find_earlier(question)):
            return earlier
        raise
    return message


def _check_query(query: str) -> None:
    if not query.strip():
        raise RunRefused("blank_query", _("The question is empty. Write something first."), 400)
    if len(query) > LONGEST_QUERY:
        raise RunRefused(
            "query_too_long",
            _("The question has %(n)d characters; %(limit)d are allowed. Shorten it.")
            % {"n": len(query), "limit": LONGEST_QUERY},
            413,
        )


def _check_model(config: AppConfig) -> None:
    if config.model_id is None:
        raise RunRefused(
            "model_missing",
            _("The configuration %(config)s names no model. Choose one in the App's draft.")
            % {"config": config},
            409,
        )


def _find_earlier(question: Question) -> Message | None:
    """The Message of an earlier request with this id; refuses the id for another question (LibreChat#14339)."""
    earlier = (
        Message.objects.select_related("conversation")
        .filter(caller=question.caller, client_request_id=question.client_request_id)
        .first()
    )
    if earlier and earlier.request_hash != _request_hash(question):
        raise RunRefused(
            "request_id_reused",
            _("The request id %(id)r was used for another question. Send a new one.")
            % {"id": question.client_request_id},
            422,
        )
    return earlier


def _request_hash(question: Question) -> str:
    conversation = question.conversation.pk if question.conversation else ""
    parts = f"{question.app.pk}\0{conversation}\0{question.use_draft}\0{question.query}"
    return hashlib.sha256(parts.encode(errors="surrogatepass")).hexdigest()


def _open_message(question: Question, config: AppConfig) -> Message:
    conversation = question.conversation or Conversation.objects.create(
        app=question.app, caller=question.caller, entry=question.entry
    )
    parent = question.parent
    if question.conversation is not None:
        newest = _join_conversation(conversation, config)
        parent = parent if question.is_rerun else parent or newest
    return Message.objects.create(
        conversation=conversation,
        parent=parent,
        app_config=config,
        config_hash=config.content_hash,
        entry=question.entry,
        caller=question.caller,
        agent_context=_agent_context(question.caller).value,
        client_request_id=question.client_request_id,
        request_hash=_request_hash(question),
        query=question.query.replace("\x00", "").encode(errors="replace").decode(),
    )


def _join_conversation(conversation: Conversation, config: AppConfig) -> Message | None:
    """Apply the busy policy; the newest turn, behind which the new one stands.

    The UPDATE also locks the conversation: questions that come at once are accepted one after the other.
    """
    Conversation.objects.filter(pk=conversation.pk).update(updated_at=Now())
    recent = list(
        conversation.messages.filter(is_deleted=False).order_by("-created_at")[: LONGEST_QUEUE + 1]
    )
    unfinished = [message for message in recent if message.status in UNFINISHED]
    if unfinished and config.on_busy == AppConfig.OnBusy.REJECT:
        raise RunRefused(
            "conversation_busy",
            _("An answer is still being written here. Wait for it or stop it, then ask again."),
            409,
        )
    if unfinished and config.on_busy == AppConfig.OnBusy.INTERRUPT:
        for message in unfinished:
            stop_run(message)
    elif len(unfinished) > LONGEST_QUEUE:
        raise RunRefused(
            "queue_full",
            _("%(n)d questions already wait in this conversation. Wait for an answer.")
            % {"n": LONGEST_QUEUE},
            429,
        )
    return recent[0] if recent else None


def _agent_context(caller: Caller) -> AgentContext:
    key = caller.api_key
    return AgentContext.UNATTENDED if key and key.is_unattended else AgentContext.PRIMARY
