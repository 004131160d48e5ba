"""Conversations and model calls in the admin."""

from decimal import Decimal

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.conversations.models import Conversation, Message, MessageAgentThought
from apps.studio.models import App
from apps.usage.models import ModelCall
from tests.admin.conftest import Enter


@pytest.fixture
def conversation(app: App) -> Conversation:
    caller = caller_for_user(User.objects.create_user("mel"))
    conversation = Conversation.objects.create(
        app=app, caller=caller, entry="web", title="Trains <b>now</b>"
    )
    turn = Message.objects.create(
        conversation=conversation,
        caller=caller,
        entry="web",
        query="When?",
        answer="At <script>9</script>",
        status="normal",
        input_tokens=7,
        output_tokens=2,
    )
    MessageAgentThought.objects.create(
        message=turn,
        position=1,
        event="agent_action",
        event_id="e",
        tool="clock",
        tool_status="success",
        tool_input='{"zone": "UTC"}',
        observation="nine",
    )
    return conversation


def view(conversation: Conversation) -> str:
    return reverse("admin:conversations_conversation_change", args=[conversation.pk])


def test_a_conversation_is_shown_turn_by_turn_with_its_steps(
    operator: Client, conversation: Conversation
) -> None:
    shown = operator.get(view(conversation)).text

    for text in ("When?", "clock", "nine", "7 + 2 tokens", "At &lt;script&gt;9&lt;/script&gt;"):
        assert text in shown
    assert "<script>9" not in shown
    assert "<b>now</b>" not in shown


def test_an_answer_is_shown_as_its_reader_saw_it(
    operator: Client, conversation: Conversation
) -> None:
    conversation.messages.update(answer="It is **nine**.")

    assert "It is <strong>nine</strong>." in operator.get(view(conversation)).text


def test_an_untitled_conversation_is_listed_by_its_first_question(
    operator: Client, conversation: Conversation
) -> None:
    Conversation.objects.filter(pk=conversation.pk).update(title="")
    conversation.messages.update(
        query="When does it leave?", price=Decimal("0.250"), currency="EUR"
    )

    listed = operator.get(reverse("admin:conversations_conversation_changelist")).text

    assert "When does it leave?" in listed
    assert "0.25 EUR" in listed


def test_reading_somebody_elses_conversation_leaves_a_trace(
    operator: Client, conversation: Conversation
) -> None:
    operator.get(view(conversation))

    entry = LogEntry.objects.get()
    assert (entry.user.username, entry.object_id) == ("operators", str(conversation.pk))
    assert entry.change_message == "Read the conversation of mel."


def test_reading_ones_own_leaves_none(enter: Enter, conversation: Conversation) -> None:
    reader = enter("operators")
    own = caller_for_user(User.objects.get(username="operators"))
    Conversation.objects.filter(pk=conversation.pk).update(caller=own)

    assert reader.get(view(conversation)).status_code == 200
    assert not LogEntry.objects.exists()


def test_a_builder_sees_what_was_said_to_apps_they_may_edit_only(
    enter: Enter, conversation: Conversation
) -> None:
    builder = enter("builders")
    before = builder.get(view(conversation)).status_code
    listed_before = builder.get(reverse("admin:conversations_conversation_changelist")).text
    conversation.app.editors.add(User.objects.get(username="builders"))

    assert before == 404
    assert "Trains" not in listed_before
    assert builder.get(view(conversation)).status_code == 200
    assert LogEntry.objects.count() == 1


@pytest.mark.parametrize(
    ("query", "is_listed"),
    [
        ("turn=normal", True),
        ("turn=error", False),
        ("entry__exact=web", True),
        ("entry__exact=api", False),
        ("q=When", True),
        ("q=Never", False),
        ("updated_at__gte=2001-01-01+00:00:00%2B00:00", True),
        ("updated_at__gte=2999-01-01+00:00:00%2B00:00", False),
    ],
)
def test_conversations_are_filtered(
    operator: Client, conversation: Conversation, query: str, is_listed: bool
) -> None:
    address = reverse("admin:conversations_conversation_changelist")

    assert (str(conversation.pk) in operator.get(f"{address}?{query}").text) is is_listed


def test_nothing_in_a_record_can_be_changed(operator: Client, conversation: Conversation) -> None:
    for name in ("conversations_conversation", "usage_modelcall"):
        assert operator.get(reverse(f"admin:{name}_add")).status_code == 403
    operator.post(view(conversation), {"title": "Mine"})

    conversation.refresh_from_db()
    assert conversation.title == "Trains <b>now</b>"


def test_the_ledger_adds_up_what_is_filtered_and_counts_unknown_costs_apart(
    operator: Client, app: App
) -> None:
    for purpose, cost in (("answer", "0.5"), ("answer", None), ("title", "0.25")):
        ModelCall.objects.create(
            purpose=purpose,
            app=app,
            model_name="m",
            input_tokens=10,
            output_tokens=1,
            confidence="exact",
            cost=cost and Decimal(cost),
            currency="USD",
            latency=1,
            status="ok",
        )

    listed = operator.get(reverse("admin:usage_modelcall_changelist") + "?purpose__exact=answer")

    totals = listed.context["totals"]
    assert totals["calls"] == 2
    assert totals["input_tokens"] == 20
    assert totals["costs"] == ["0.5 USD"]
    assert totals["unpriced"] == 1
    assert "1 call of unknown cost" in listed.text


def test_costs_of_different_currencies_are_not_added(operator: Client, app: App) -> None:
    for cost, currency in (("0.500", "USD"), ("0.250", "USD"), ("3", "CNY")):
        ModelCall.objects.create(
            purpose="answer",
            app=app,
            model_name="m",
            confidence="exact",
            cost=Decimal(cost),
            currency=currency,
            latency=1,
            status="ok",
        )

    assert "3 CNY + 0.75 USD" in operator.get(reverse("admin:usage_modelcall_changelist")).text
