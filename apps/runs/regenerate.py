"""Asking the same question again, beside the earlier answer."""

from apps.accounts.models import Caller
from apps.conversations.models import Entry, Message
from apps.runs.start import Question, start_run


def regenerate(message: Message, caller: Caller) -> Message:
    """A sibling of `message`: same question, same parent, so that it never sees the answer it replaces."""
    return start_run(
        Question(
            caller=caller,
            app=message.conversation.app,
            query=message.query,
            entry=Entry(message.entry),
            conversation=message.conversation,
            parent=message.parent,
            is_rerun=True,
            use_draft=message.entry == Entry.DEBUGGER,
        )
    )
