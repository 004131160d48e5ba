"""What of Apps and conversations a signed-in person may open in the chat and debugger pages."""

from uuid import UUID

from django.db.models import Exists, OuterRef, QuerySet
from django.http import Http404

from apps.accounts.models import Caller, User
from apps.conversations.models import Conversation, Entry
from apps.studio.models import App

LISTED_CONVERSATIONS = 100


def apps_for(user: User) -> QuerySet[App]:
    """Apps the user may talk to, and those still unpublished that they may edit; `is_editable` says which."""
    editable = App.objects.editable_by(user).filter(pk=OuterRef("pk"))
    return (
        App.objects.visible_to(user)
        .annotate(is_editable=Exists(editable))
        .select_related("published_config__model")
    )


def conversations_for(user: User, slug: str, *, is_draft: bool) -> QuerySet[Conversation]:
    """The user's own conversations with an App that they may (still) reach, newest first.

    Those of the debugger are apart. `is_editable` says whether the user may edit the App.
    """
    editable = App.objects.editable_by(user)
    reachable = editable if is_draft else App.objects.visible_to(user)
    mine = Conversation.objects.filter(
        caller__kind=Caller.Kind.USER,
        caller__user=user,
        is_deleted=False,
        app__slug=slug,
        app__in=reachable.values("pk"),
    )
    apart = mine.filter(entry=Entry.DEBUGGER) if is_draft else mine.exclude(entry=Entry.DEBUGGER)
    return (
        apart.annotate(is_editable=Exists(editable.filter(pk=OuterRef("app_id"))))
        .select_related("app", "caller")
        .order_by("-updated_at", "pk")
    )


def find_in_list(
    listed: list[Conversation], all_of_them: QuerySet[Conversation], conversation_id: UUID
) -> Conversation:
    """The conversation, without a statement when it stands in the list; raises Http404."""
    for conversation in listed:
        if conversation.pk == conversation_id:
            return conversation
    found = all_of_them.filter(pk=conversation_id).first()
    if found is None:
        raise Http404
    return found
