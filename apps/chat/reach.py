"""What of Apps and conversations a signed-in person may open in the chat and debugger pages."""

from typing import TYPE_CHECKING, TypedDict
from uuid import UUID

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.http import Http404
from django.shortcuts import get_object_or_404

from apps.accounts.models import Caller, User
from apps.conversations.models import Conversation, Entry
from apps.conversations.queries import title_or_question
from apps.studio.models import App

if TYPE_CHECKING:
    from django_stubs_ext import WithAnnotations

LISTED_CONVERSATIONS = 100


class Rights(TypedDict):
    """What the queries below add to their rows."""

    is_editable: bool
    shown_title: str | None


if TYPE_CHECKING:
    ReachedConversation = WithAnnotations[Conversation, Rights]


def apps_for(user: User) -> QuerySet[App]:
    """Published Apps the user may talk to, and those in other states that they may edit."""
    mine = Q(pk__in=App.objects.editable_by(user).values("pk"))
    return App.objects.visible_to(user).filter(Q(status=App.Status.PUBLISHED) | mine)


def find_app(user: User, slug: str, *, is_draft: bool) -> App:
    """The App of a chat page, or of a debugger, which only its editors reach; raises Http404."""
    reachable = App.objects.editable_by(user) if is_draft else App.objects.visible_to(user)
    return get_object_or_404(reachable.select_related("published_config"), slug=slug)


def may_edit(user: User, app: App) -> bool:
    return App.objects.editable_by(user).filter(pk=app.pk).exists()


def conversations_for(user: User, slug: str, *, is_draft: bool) -> "QuerySet[ReachedConversation]":
    """The user's own conversations with an App that they may (still) reach, newest first.

    Those of the debugger are apart. `is_editable` says whether the user may edit the App; `shown_title` is the
    title or, until there is one, the beginning of the first question.
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
        apart.annotate(
            is_editable=Exists(editable.filter(pk=OuterRef("app_id"))),
            shown_title=title_or_question(),
        )
        .select_related("app", "caller")
        .order_by("-updated_at", "pk")
    )


def find_in_list(
    listed: "list[ReachedConversation]",
    all_of_them: "QuerySet[ReachedConversation]",
    conversation_id: UUID,
) -> "ReachedConversation":
    """The conversation, without a statement when it stands in the list; raises Http404."""
    for conversation in listed:
        if conversation.pk == conversation_id:
            return conversation
    found = all_of_them.filter(pk=conversation_id).first()
    if found is None:
        raise Http404
    return found
