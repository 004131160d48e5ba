"""The turns of a conversation as its page shows them: the newest branch, a bounded part at a time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from uuid import UUID

from django.db.models import Prefetch, Subquery
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from agents.events import Audience
from agents.outcome import RunStatus
from agents.projection import error_for
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.conversations.timeline import ACTIONS
from apps.studio.models import AppConfig
from tools.definition import ToolStatus

TURNS_A_PAGE = 50
FAILED = {RunStatus.ERROR, RunStatus.TIMEOUT, RunStatus.BUDGET_EXCEEDED, RunStatus.INTERRUPTED}
FAILED_CALL = {ToolStatus.ERROR, ToolStatus.TIMEOUT, ToolStatus.DENIED}
LIGHT = ("message", "event", "tool", "tool_status", "code", "position")


@dataclass(frozen=True, kw_only=True)
class Turn:
    """One question with its answer. `work` says in a line what was done, "" when that is not shown."""

    message: Message
    work: str
    note: str

    @property
    def is_unfinished(self) -> bool:
        return not RunStatus(self.message.status).is_final

    @property
    def is_failed(self) -> bool:
        return self.message.status in FAILED

    @property
    def tokens(self) -> int | None:
        counts = (self.message.input_tokens, self.message.output_tokens)
        return None if None in counts else sum(count for count in counts if count is not None)


@dataclass(frozen=True, kw_only=True)
class Branch:
    """Turns, oldest first, and the message with which the part before them ends."""

    turns: Sequence[Turn]
    earlier: UUID | None = None


def read_branch(
    conversation: Conversation, *, is_builder: bool, upto: UUID | None = None
) -> Branch:
    """The newest turn (or `upto`) with its ancestors, of at most 50 messages, in two statements.

    An answer that was regenerated is another branch: only the newest one is on the page.
    """
    rows = _newest_rows(conversation, upto)
    messages = list(_ancestors(rows, upto))
    is_more = len(rows) == TURNS_A_PAGE and messages
    return Branch(
        turns=[_turn(message, is_builder=is_builder) for message in reversed(messages)],
        earlier=messages[-1].parent_id if is_more else None,
    )


def read_turn(message: Message, *, is_builder: bool) -> Turn:
    return _turn(message, is_builder=is_builder)


def _newest_rows(conversation: Conversation, upto: UUID | None) -> list[Message]:
    messages = conversation.messages.filter(is_deleted=False)
    if upto is not None:
        last = Message.objects.filter(pk=upto).values("created_at")
        messages = messages.filter(created_at__lte=Subquery(last))
    light = MessageAgentThought.objects.only(*LIGHT)
    return list(
        messages.select_related("app_config")
        .defer("app_config__preset_prompt", "app_config__parameters")
        .prefetch_related(Prefetch("thoughts", queryset=light))
        .order_by("-created_at", "-pk")[:TURNS_A_PAGE]
    )


def _ancestors(rows: Sequence[Message], upto: UUID | None) -> Iterator[Message]:
    """Newest first: each one is the parent of the one before."""
    wanted = upto or (rows[0].pk if rows else None)
    for message in rows:
        if message.pk == wanted:
            yield message
            wanted = message.parent_id


def _turn(message: Message, *, is_builder: bool) -> Turn:
    return Turn(
        message=message,
        work=_work(message, is_builder=is_builder),
        note=_note(message, is_builder=is_builder),
    )


def _work(message: Message, *, is_builder: bool) -> str:
    config = message.app_config
    shows_steps = config is not None and config.show_steps != AppConfig.ShowSteps.OFF
    steps = message.thoughts.all()
    if not (is_builder or shows_steps) or not steps:
        return ""
    actions = [step for step in steps if step.event in ACTIONS]
    if actions:
        return _tools_used(actions)
    if message.entry == Entry.DEBUGGER or message.reasoning or len(steps) > 1:
        return ngettext("%(n)d step", "%(n)d steps", len(steps)) % {"n": len(steps)}
    return ""


def _tools_used(actions: Sequence[MessageAgentThought]) -> str:
    """Names the tools once each, and apart those of which no call succeeded."""
    names = dict.fromkeys(action.tool for action in actions)
    failed = names.keys() - {
        action.tool for action in actions if action.tool_status not in FAILED_CALL
    }
    used = ", ".join(name.replace("_", " ") for name in names if name not in failed)
    not_used = ", ".join(name.replace("_", " ") for name in names if name in failed)
    if not failed:
        return _("Used %(tools)s") % {"tools": used}
    if not used:
        return _("Failed: %(tools)s") % {"tools": not_used}
    return _("Used %(tools)s; failed: %(failed)s") % {"tools": used, "failed": not_used}


def _note(message: Message, *, is_builder: bool) -> str:
    """What a person should know about how the turn ended."""
    match RunStatus(message.status):
        case RunStatus.STOPPED:
            return _("You stopped this answer.")
        case RunStatus.ITERATION_LIMIT:
            return _("The App's limit of model calls was reached; this is what was known by then.")
        case RunStatus.TIMEOUT:
            return _error_text(message, is_builder=is_builder) or _(
                "The time for this answer ran out. Try again."
            )
        case RunStatus.INTERRUPTED:
            return _error_text(message, is_builder=is_builder) or _(
                "The server was interrupted. Try again."
            )
        case RunStatus.ERROR | RunStatus.BUDGET_EXCEEDED:
            return _error_text(message, is_builder=is_builder) or _(
                "This answer failed. Try again."
            )
        case _:
            return ""


def _error_text(message: Message, *, is_builder: bool) -> str:
    audience = Audience.BUILDER if is_builder else Audience.ASKER_FULL
    return str(error_for(message.error, audience)["message"]) if message.error else ""
