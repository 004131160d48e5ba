"""What a chat page may ask for, each in one hop to the database: rights first, then the one door of `apps.runs`."""

from dataclasses import dataclass
from uuid import UUID

from agents.events import Audience
from apps.accounts.models import Caller
from apps.chat.frames import Attach, Regenerate, Send, Stop, Watch
from apps.conversations.models import Conversation, Entry, Message
from apps.conversations.queries import conversations_of
from apps.runs.access import find_message, not_found
from apps.runs.audience import audience_of
from apps.runs.regenerate import regenerate
from apps.runs.start import Question, start_run
from apps.runs.stop import stop_run
from apps.studio.models import App


@dataclass(frozen=True, kw_only=True)
class FollowedRun:
    """A run that a socket may follow, and how much of it."""

    task_id: str
    message_id: str
    conversation_id: str
    audience: Audience


def ask(caller: Caller, frame: Send) -> FollowedRun:
    """Start the run of a question; raises RunRefused."""
    app = find_app(caller, frame.app, is_draft=frame.draft)
    entry = _entry_of(caller, is_draft=frame.draft)
    question = Question(
        caller=caller,
        app=app,
        query=frame.query,
        entry=entry,
        conversation=_find_conversation(caller, app, frame) if frame.conversation else None,
        client_request_id=frame.client_request_id,
        use_draft=frame.draft,
    )
    return _followed(caller, app, start_run(question))


def ask_again(caller: Caller, frame: Regenerate) -> FollowedRun:
    """Answer an own message again; raises RunRefused."""
    message = find_message(caller, message_id=frame.message)
    if message.caller_id != caller.pk:
        raise not_found(frame.message)
    app = find_app(caller, message.conversation.app.slug, is_draft=message.entry == Entry.DEBUGGER)
    return _followed(caller, app, regenerate(message, caller))


def attach(caller: Caller, frame: Attach) -> FollowedRun:
    message = find_message(caller, task_id=frame.task_id)
    return _followed(caller, message.conversation.app, message)


def stop(caller: Caller, frame: Stop) -> None:
    stop_run(find_message(caller, task_id=frame.task_id))


def watch(caller: Caller, frame: Watch) -> str:
    """The id of an own conversation."""
    if not conversations_of(caller).filter(pk=_uuid(frame.conversation)).exists():
        raise not_found(frame.conversation)
    return str(_uuid(frame.conversation))


def find_app(caller: Caller, slug: str, *, is_draft: bool) -> App:
    """An App the caller may talk to; its draft only if they may change it."""
    apps = App.objects.select_related("published_config", "owner")
    reach = apps.editable_by if is_draft else apps.visible_to
    app = reach(caller.user, key=caller.api_key).filter(slug=slug).first()
    key_may_not = is_draft and caller.api_key is not None and not caller.api_key.can_manage
    if app is None or key_may_not:
        raise not_found(slug)
    return app


def _find_conversation(caller: Caller, app: App, frame: Send) -> Conversation:
    """An own conversation of this App; those of the debugger and of the page do not mix."""
    wanted = frame.conversation or ""
    conversation = conversations_of(caller, app).filter(pk=_uuid(wanted)).first()
    if conversation is None or (conversation.entry == Entry.DEBUGGER) != frame.draft:
        raise not_found(wanted)
    return conversation


def _entry_of(caller: Caller, *, is_draft: bool) -> Entry:
    if is_draft:
        return Entry.DEBUGGER
    return Entry.API if caller.api_key else Entry.WEB


def _followed(caller: Caller, app: App, message: Message) -> FollowedRun:
    return FollowedRun(
        task_id=str(message.task_id),
        message_id=str(message.pk),
        conversation_id=str(message.conversation_id),
        audience=audience_of(caller, app, message.app_config),
    )


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise not_found(text) from error
