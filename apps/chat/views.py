"""The pages people talk on: the list of Apps, the chat page and the debugger, which is the same page on a draft."""

from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.accounts.roles import is_builder
from apps.chat.page_texts import page_texts
from apps.chat.reach import (
    LISTED_CONVERSATIONS,
    apps_for,
    conversations_for,
    find_app,
    find_in_list,
    may_edit,
)
from apps.chat.turns import Branch, read_branch, read_turn
from apps.conversations.models import Conversation, Message
from apps.conversations.queries import rename_conversation
from apps.conversations.timeline import timeline_of
from apps.runs.audience import audience_of
from apps.runs.deletion import delete_conversation
from apps.studio.models import App, AppConfig

if TYPE_CHECKING:
    from apps.chat.reach import ReachedConversation


class SignedInRequest(HttpRequest):
    """What `login_required` lets through."""

    user: User


@require_GET
@login_required
def home(request: SignedInRequest) -> HttpResponse:
    """The Apps one can talk to; their editors also see those that are not published."""
    editable = App.objects.editable_by(request.user).values_list("pk", flat=True)
    context = {
        "apps": apps_for(request.user),
        "editable": set(editable),
        "is_builder": is_builder(request.user),
    }
    return render(request, "chat/home.html", context)


@require_GET
@login_required
def new_conversation(
    request: SignedInRequest, slug: str, *, is_draft: bool = False
) -> HttpResponse:
    """An empty conversation: it begins with the first question."""
    app = find_app(request.user, slug, is_draft=is_draft)
    config = app.configs.get(state=AppConfig.State.DRAFT) if is_draft else app.published_config
    listed = conversations_for(request.user, slug, is_draft=is_draft)[:LISTED_CONVERSATIONS]
    context = {
        "app": app,
        "is_editable": is_draft or may_edit(request.user, app),
        "config": config,
        "conversations": listed,
        "questions": config.opening_questions.all() if config else [],
    }
    return _chat_page(request, context, is_draft=is_draft)


@require_GET
@login_required
def conversation(
    request: SignedInRequest, slug: str, conversation_id: UUID, *, is_draft: bool = False
) -> HttpResponse:
    """A conversation with its newest turns; three statements for what is on the page."""
    mine = conversations_for(request.user, slug, is_draft=is_draft)
    listed = list(mine[:LISTED_CONVERSATIONS])
    opened = find_in_list(listed, mine, conversation_id)
    context = {
        "app": opened.app,
        "is_editable": opened.is_editable,
        "conversation": opened,
        "conversations": listed,
        "branch": read_branch(opened, is_builder=opened.is_editable),
    }
    return _chat_page(request, context, is_draft=is_draft)


@require_GET
@login_required
def turns(
    request: SignedInRequest, slug: str, conversation_id: UUID, *, is_draft: bool = False
) -> HttpResponse:
    """Turns alone: those before `upto`, or those that came `after` one; 205 asks for a new page.

    205: the message named `after` is not on the newest branch any more.
    """
    opened = _own_conversation(request, slug, conversation_id, is_draft=is_draft)
    upto = _uuid_or_404(request.GET["upto"]) if "upto" in request.GET else None
    branch = read_branch(opened, is_builder=opened.is_editable, upto=upto)
    if "after" in request.GET:
        places = [str(turn.message.pk) for turn in branch.turns]
        if request.GET["after"] not in places:
            return HttpResponse(status=205)
        branch = Branch(turns=branch.turns[places.index(request.GET["after"]) + 1 :])
    return render(request, "chat/_turns.html", {"branch": branch})


@require_GET
@login_required
def turn(
    request: SignedInRequest,
    slug: str,
    conversation_id: UUID,
    message_id: UUID,
    *,
    is_draft: bool = False,
) -> HttpResponse:
    """One turn as it is stored: what the page shows in place of what it saw streaming."""
    opened = _own_conversation(request, slug, conversation_id, is_draft=is_draft)
    message = _message_of(opened, message_id)
    shown = read_turn(message, is_builder=opened.is_editable)
    return render(request, "chat/_turn.html", {"turn": shown})


@require_GET
@login_required
def steps(
    request: SignedInRequest,
    slug: str,
    conversation_id: UUID,
    message_id: UUID,
    *,
    is_draft: bool = False,
) -> HttpResponse:
    """The steps of a turn; builders see the exact prompt and the raw answer too."""
    opened = _own_conversation(request, slug, conversation_id, is_draft=is_draft)
    message = _message_of(opened, message_id)
    audience = audience_of(caller_for_user(request.user), opened.app, message.app_config)
    return render(request, "conversations/_steps.html", {"steps": timeline_of(message, audience)})


@require_POST
@login_required
def rename(
    request: SignedInRequest, slug: str, conversation_id: UUID, *, is_draft: bool = False
) -> HttpResponse:
    opened = _own_conversation(request, slug, conversation_id, is_draft=is_draft)
    try:
        rename_conversation(opened, request.POST.get("title", ""))
    except ValidationError as error:
        return HttpResponse("; ".join(error.messages), status=400, content_type="text/plain")
    return redirect(conversation_url(opened, is_draft=is_draft))


@require_POST
@login_required
def delete(
    request: SignedInRequest, slug: str, conversation_id: UUID, *, is_draft: bool = False
) -> HttpResponse:
    delete_conversation(_own_conversation(request, slug, conversation_id, is_draft=is_draft))
    return redirect("debugger" if is_draft else "chat", slug)


def conversation_url(opened: Conversation, *, is_draft: bool) -> str:
    name = "debugger_conversation" if is_draft else "conversation"
    return reverse(name, args=[opened.app.slug, opened.pk])


def _chat_page(
    request: SignedInRequest, context: dict[str, Any], *, is_draft: bool
) -> HttpResponse:
    base = reverse("debugger" if is_draft else "chat", args=[context["app"].slug])
    more = {
        "is_draft": is_draft,
        "base_url": base,
        "texts": page_texts(),
        "is_builder": is_builder(request.user),
    }
    return render(request, "chat/chat.html", {**context, **more})


def _own_conversation(
    request: SignedInRequest, slug: str, conversation_id: UUID, *, is_draft: bool
) -> "ReachedConversation":
    mine = conversations_for(request.user, slug, is_draft=is_draft)
    return get_object_or_404(mine, pk=conversation_id)


def _message_of(opened: Conversation, message_id: UUID) -> Message:
    messages = opened.messages.filter(is_deleted=False).select_related("app_config")
    with_steps = messages.prefetch_related("thoughts__system_prompt")
    return get_object_or_404(with_steps, pk=message_id)


def _uuid_or_404(text: str) -> UUID:
    try:
        return UUID(text)
    except ValueError as error:
        raise Http404 from error
