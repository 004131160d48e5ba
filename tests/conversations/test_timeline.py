"""The stored steps of a turn as each audience may see them."""

from collections.abc import Callable
from typing import Any

import pytest

from agents.events import Audience
from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought, PromptText
from apps.conversations.timeline import Step, indent_json, timeline_of
from apps.studio.models import App


@pytest.fixture
def message(db: None) -> Message:
    """A turn with recall, a thought, a tool call, a notice and the answer."""
    user = User.objects.create_user("ann")
    caller = caller_for_user(user)
    app = App.objects.create(slug="a", name="A", owner=user)
    conversation = Conversation.objects.create(app=app, caller=caller, entry=Entry.WEB)
    message = Message.objects.create(
        conversation=conversation, caller=caller, entry=Entry.WEB, query="q"
    )
    prompt = PromptText.objects.create(digest="d", text="the system prompt")
    asked = {"system_prompt": prompt, "new_messages": [{"role": "user", "content": "q"}]}
    rows: list[dict[str, Any]] = [
        {"event": "long_term_memory_recall", "observation": "a memory"},
        {
            "event": "agent_thought",
            "thought": "let me see",
            "assistant_message": {"content": "raw thought"},
            "input_tokens": 7,
            "output_tokens": 3,
            **asked,
        },
        {
            "event": "agent_action",
            "tool": "current_time",
            "tool_call_id": "c",
            "tool_input": '{"zone":"UTC"}',
            "tool_status": "success",
            "observation": "noon",
        },
        {"event": "agent_thought", "code": "model_retry", "observation": "trying again"},
        {
            "event": "agent_message",
            "answer": "Noon.",
            "assistant_message": {"content": "raw answer"},
            **asked,
        },
    ]
    for position, row in enumerate(rows, start=1):
        MessageAgentThought.objects.create(
            message=message, position=position, event_id=f"e{position}", **row
        )
    return message


@pytest.mark.parametrize(
    ("audience", "kinds"),
    [
        (Audience.BUILDER, ["recall", "thought", "action", "notice", "answer"]),
        (Audience.ASKER_FULL, ["recall", "thought", "action", "notice"]),
        (Audience.ASKER_NAMES, ["action"]),
        (Audience.ASKER_OFF, []),
    ],
    ids=lambda value: str(value) if isinstance(value, Audience) else "",
)
def test_an_audience_sees_these_steps(
    message: Message, audience: Audience, kinds: list[str]
) -> None:
    assert [step.kind for step in timeline_of(message, audience)] == kinds


@pytest.mark.parametrize("secret", ["the system prompt", "a memory", "raw thought", "raw answer"])
@pytest.mark.parametrize("audience", [Audience.ASKER_FULL, Audience.ASKER_NAMES])
def test_prompts_memories_and_raw_answers_are_only_for_builders(
    message: Message, audience: Audience, secret: str
) -> None:
    assert secret in repr(timeline_of(message, Audience.BUILDER))
    assert secret not in repr(timeline_of(message, audience))


def test_names_only_hides_what_went_in_and_out(message: Message) -> None:
    (step,) = timeline_of(message, Audience.ASKER_NAMES)
    assert step == Step(kind="action", title="current time", status="success")
    assert not step.has_details


def test_a_builder_sees_tokens_and_the_exchange(message: Message) -> None:
    thought = timeline_of(message, Audience.BUILDER)[1]
    assert thought.tokens == 10
    assert thought.exchange
    assert thought.exchange.system_prompt == "the system prompt"


def test_a_cut_off_answer_is_an_answer_and_no_notice(message: Message) -> None:
    message.thoughts.filter(event="agent_message").update(code="stopped", assistant_message=None)
    assert timeline_of(message, Audience.BUILDER)[-1].kind == "answer"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('{"a":1}', '{\n  "a": 1\n}'),
        ("[1,", "[1,"),
        ("12", "12"),
        ("", ""),
        ('{"a": NaN', '{"a": NaN'),
        ('{"名":"值"}', '{\n  "名": "值"\n}'),
    ],
    ids=["object", "cut", "number", "empty", "cut-nan", "not-ascii"],
)
def test_json_is_shown_with_line_breaks_and_the_rest_as_it_is(text: str, shown: str) -> None:
    assert indent_json(text) == shown


def test_the_timeline_reads_steps_and_prompts_in_two_statements(
    message: Message, django_assert_num_queries: Callable[..., object]
) -> None:
    read = Message.objects.prefetch_related("thoughts__system_prompt").get(pk=message.pk)
    with django_assert_num_queries(0):  # type: ignore[attr-defined]
        timeline_of(read, Audience.BUILDER)
