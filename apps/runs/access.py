"""Who may reach a run: whoever asked, and those who may edit its App."""

from uuid import UUID

from django.utils.translation import gettext as _

from apps.accounts.models import Caller
from apps.conversations.models import Message
from apps.runs.refusal import RunRefused
from apps.studio.models import App


def find_message(
    caller: Caller, *, task_id: str | None = None, message_id: str | None = None
) -> Message:
    """The Message with this task or message id. Raises RunRefused `not_found` for all that is not theirs."""
    wanted = task_id or message_id or ""
    lookup = {"task_id" if task_id else "pk": _uuid(wanted)}
    message = (
        Message.objects.select_related(
            "conversation__app__published_config", "app_config", "caller__user"
        )
        .filter(is_deleted=False, conversation__is_deleted=False, **lookup)
        .first()
    )
    if message is None or not _may_reach(caller, message):
        raise not_found(wanted)
    return message


def not_found(wanted: str) -> RunRefused:
    return RunRefused(
        "not_found", _("There is no %(id)r here, or it is not yours.") % {"id": wanted}, 404
    )


def _uuid(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise not_found(text) from error


def _may_reach(caller: Caller, message: Message) -> bool:
    if message.caller_id == caller.pk:
        return True
    key = caller.api_key
    if key and not key.can_manage:
        return False
    app_id = message.conversation.app_id
    return App.objects.editable_by(caller.user, key=key).filter(pk=app_id).exists()
