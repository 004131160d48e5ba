"""Conversations, to read: each turn with its steps. Reading somebody else's leaves a trace."""

from typing import Any

from django.contrib import admin
from django.contrib.admin.models import CHANGE, LogEntry
from django.core.paginator import Page, Paginator
from django.db.models import Count, Max, QuerySet, Sum
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from unfold.admin import ModelAdmin
from unfold.decorators import display

from agents.events import Audience
from apps.accounts.admin_site import admin_user
from apps.accounts.models import User
from apps.accounts.roles import is_operator
from apps.conversations.models import Conversation, Message
from apps.conversations.queries import LONGEST_TITLE, title_or_question
from apps.conversations.timeline import timeline_of
from apps.studio.models import App

TURNS_PER_PAGE = 20


class TurnStatusFilter(admin.SimpleListFilter):
    """Conversations with at least one turn of this status."""

    title = gettext_lazy("status of a turn")
    parameter_name = "turn"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return list(Message._meta.get_field("status").flatchoices)

    def queryset(
        self, request: HttpRequest, queryset: QuerySet[Conversation]
    ) -> QuerySet[Conversation]:
        if self.value() is None:
            return queryset
        turns = Message.objects.filter(status=self.value())
        return queryset.filter(pk__in=turns.values("conversation"))


@admin.register(Conversation)
class ConversationAdmin(ModelAdmin):
    list_display = ("shown_title", "app", "caller", "entry", "turns", "price", "updated_at")
    list_filter = (
        ("app", admin.RelatedOnlyFieldListFilter),
        "entry",
        TurnStatusFilter,
        "updated_at",
        "is_deleted",
    )
    list_select_related = ("app", "caller__user", "caller__api_key")
    search_fields = ("title", "caller__user__username", "messages__query")
    search_help_text = gettext_lazy("Title, person or words of a question")

    @display(description=gettext_lazy("title"), ordering="title")
    def shown_title(self, conversation: Any) -> str:
        return Truncator(conversation.title_or_question or _("untitled")).chars(LONGEST_TITLE)

    @display(description=gettext_lazy("turns"), ordering="turn_count")
    def turns(self, conversation: Any) -> int:
        count: int = conversation.turn_count
        return count

    @display(description=gettext_lazy("price"), ordering="total_price", empty_value="–")
    def price(self, conversation: Any) -> str | None:
        total = conversation.total_price
        return None if total is None else f"{total.normalize():f} {conversation.currency}"

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        """Operators see all, builders what was said to the Apps they may edit."""
        conversations: QuerySet[Conversation] = super().get_queryset(request)
        counted = conversations.select_related(*self.list_select_related).annotate(
            turn_count=Count("messages"),
            total_price=Sum("messages__price"),
            currency=Max("messages__currency"),
            title_or_question=title_or_question(),
        )
        user = admin_user(request)
        if is_operator(user):
            return counted
        return counted.filter(app__in=App.objects.editable_by(user))

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        conversation = self.get_object(request, object_id)
        if conversation is None:
            raise Http404(_("There is no such conversation."))
        record_reading(admin_user(request), conversation)
        page = page_of_turns(conversation, request.GET.get("page", "1"))
        context = {
            **self.admin_site.each_context(request),
            "opts": self.opts,
            "original": conversation,
            "title": self.shown_title(conversation),
            "conversation": conversation,
            "page": page,
            "turns": [(turn, timeline_of(turn, Audience.BUILDER)) for turn in page],
        }
        return TemplateResponse(request, "admin/conversations/conversation/timeline.html", context)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


def record_reading(user: User, conversation: Conversation) -> None:
    """Write down that somebody opened a conversation that is not their own."""
    if conversation.caller.user_id == user.pk:
        return
    text = _("Read the conversation of %(person)s.") % {"person": conversation.caller}
    LogEntry.objects.log_actions(user.pk, [conversation], CHANGE, text, single_object=True)


def page_of_turns(conversation: Conversation, number: str) -> Page[Message]:
    """Turns oldest first, with all that their timelines read."""
    turns = conversation.messages.select_related("app_config").prefetch_related(
        "thoughts__system_prompt"
    )
    return Paginator(turns, TURNS_PER_PAGE).get_page(number)
