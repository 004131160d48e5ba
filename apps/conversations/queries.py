"""Finding and renaming conversations."""

from django.core.exceptions import ValidationError
from django.db.models import OuterRef, QuerySet, Subquery, Value
from django.db.models.functions import Coalesce, NullIf, Substr
from django.utils.translation import gettext as _

from apps.accounts.models import Caller
from apps.conversations.models import Conversation, Message
from apps.studio.models import App

LONGEST_TITLE = 60


def conversations_of(caller: Caller, app: App | None = None) -> QuerySet[Conversation]:
    """The caller's conversations that are not deleted, newest first; all Apps without `app`."""
    mine = Conversation.objects.filter(caller=caller, is_deleted=False).order_by(
        "-updated_at", "pk"
    )
    return mine if app is None else mine.filter(app=app)


def title_or_question() -> Coalesce:
    """For a query of conversations: the title or, until there is one, the beginning of the first question.

    That beginning has a character more than a title may have, so that a page can tell that it was cut.
    """
    asked = Message.objects.filter(conversation=OuterRef("pk"), is_deleted=False)
    first = asked.order_by("created_at", "pk").annotate(
        beginning=Substr("query", 1, LONGEST_TITLE + 1)
    )
    return Coalesce(NullIf("title", Value("")), Subquery(first.values("beginning")[:1]))


def rename_conversation(conversation: Conversation, title: str) -> None:
    """Give it a title of 1 to 60 characters, none of them NUL; raises ValidationError on `title`."""
    title = " ".join(title.split())
    if not 0 < len(title) <= LONGEST_TITLE:
        raise ValidationError(
            {"title": _("A title has 1 to %(n)d characters.") % {"n": LONGEST_TITLE}}
        )
    if "\0" in title:
        raise ValidationError({"title": _("A title has no null characters.")})
    conversation.title = title
    conversation.save(update_fields=["title"])
