"""Which earlier turns a model is sent."""

import pytest

from agents.outcome import FinishReason, RunStatus
from apps.conversations.models import Message
from apps.runs.database import in_database
from tests.fakes.upstream import call, calls, failure, text
from tests.runs.conftest import Bench

Sent = list[tuple[str, str]]


def sent(bench: Bench) -> Sent:
    """Role and first line of every message of the last request, without the system message."""
    messages = bench.upstream.of_purpose("answer")[-1].messages[1:]
    return [(m["role"], (m["content"] or "").split("\n")[0]) for m in messages]


async def test_turns_are_sent_oldest_first_in_pairs(bench: Bench) -> None:
    bench.upstream.script(text("A1"), text("A2"), text("A3"))
    first = await bench.answer("Q1")
    await bench.answer("Q2", first.conversation)
    await bench.answer("Q3", first.conversation)
    assert sent(bench) == [
        ("user", "Q1"),
        ("assistant", "A1"),
        ("user", "Q2"),
        ("assistant", "A2"),
        ("user", "Q3"),
    ]


@pytest.mark.parametrize("rounds", [0, 1, 2])
async def test_no_more_turns_than_the_app_remembers(bench: Bench, rounds: int) -> None:
    await bench.configure(dialog_round=rounds)
    first = await bench.answer("Q1")
    for number in range(2, 6):
        await bench.answer(f"Q{number}", first.conversation)
    assert len(sent(bench)) == 2 * rounds + 1


async def test_a_failed_turn_is_shown_but_never_sent(bench: Bench) -> None:
    """FastGPT#3555."""
    first = await bench.answer("Q1")
    bench.upstream.script(failure(400, {"error": {"message": "no"}}))
    await bench.answer("Q2 fails", first.conversation)
    await bench.answer("Q3", first.conversation)
    assert [role for role, _text in sent(bench)] == ["user", "assistant", "user"]
    assert all("Q2" not in line for _role, line in sent(bench))


@pytest.mark.parametrize(
    ("status", "answer", "is_sent"),
    [
        (RunStatus.STOPPED, "Half", True),
        (RunStatus.STOPPED, "", False),
        (RunStatus.TIMEOUT, "Half", True),
        (RunStatus.INTERRUPTED, "Half", True),
        (RunStatus.BUDGET_EXCEEDED, "Half", True),
        (RunStatus.ERROR, "Half", False),
        (RunStatus.ITERATION_LIMIT, "All I know", True),
    ],
)
async def test_a_turn_that_did_not_end_normally_is_sent_if_it_has_text(
    bench: Bench, status: RunStatus, answer: str, *, is_sent: bool
) -> None:
    first = await bench.answer("Q1")
    await in_database(Message.objects.filter(pk=first.pk).update, status=status, answer=answer)
    await bench.answer("Q2", first.conversation)
    assert (("user", "Q1") in sent(bench)) is is_sent


async def test_a_blocked_answer_is_never_sent(bench: Bench) -> None:
    first = await bench.answer("Q1")
    blocked = FinishReason.CONTENT_FILTER
    await in_database(Message.objects.filter(pk=first.pk).update, finish_reason=blocked)
    await bench.answer("Q2", first.conversation)
    assert sent(bench) == [("user", "Q2")]


async def test_full_history_carries_the_tool_rounds(bench: Bench) -> None:
    await bench.configure(history_mode="full")
    bench.upstream.script(calls(call("calculator", "call_x", expression="6*7")), text("42"))
    first = await bench.answer("Q1")
    await bench.answer("Q2", first.conversation)
    messages = bench.upstream.of_purpose("answer")[-1].messages
    assert [m["role"] for m in messages[1:]] == ["user", "assistant", "tool", "assistant", "user"]
    assert messages[2]["tool_calls"][0]["id"] == messages[3]["tool_call_id"] == "call_x"


async def test_the_date_stands_behind_the_question_and_not_in_the_stored_one(bench: Bench) -> None:
    message = await bench.answer("Q1")
    content = bench.upstream.bodies[-1]["messages"][-1]["content"]
    assert content.startswith("Q1\n")
    assert "Current date and time" in content
    assert message.query == "Q1"


async def test_the_system_prompt_is_byte_equal_over_turns(bench: Bench) -> None:
    first = await bench.answer("Q1")
    await bench.answer("Q2", first.conversation)
    one, two = (one.messages[0] for one in bench.upstream.of_purpose("answer"))
    assert one == two


async def test_calls_that_are_numbered_from_zero_each_time_keep_their_results_in_later_turns(
    bench: Bench,
) -> None:
    await bench.configure(history_mode="full")
    bench.upstream.script(
        calls(call("calculator", "call_0", expression="1+1")),
        calls(call("calculator", "call_0", expression="2+2")),
        text("2 and 4"),
        calls(call("calculator", "call_0", expression="3+3")),
    )
    first = await bench.answer("Q1")
    as_sent = bench.upstream.bodies[-1]["messages"][2:]
    second = await bench.answer("Q2", first.conversation)
    third, fourth = (one.messages for one in bench.upstream.of_purpose("answer")[-2:])
    assert third[2:6] == fourth[2:6] == as_sent
    assert [m["content"] for m in fourth if m["role"] == "tool"] == ["2", "4", "6"]
    assert all(step.code != "history_repaired" for step in await bench.steps(second))


async def test_full_history_tells_react_rounds_as_they_were_told(bench: Bench) -> None:
    await bench.configure(history_mode="full", model="scripted/react")
    asked = '```json\n{"name": "calculator", "args": {"expression": "6*7"}}\n```'
    bench.upstream.script(text(asked), text("42"))
    first = await bench.answer("Q1")
    as_sent = bench.upstream.bodies[-1]["messages"][2:]
    await bench.answer("Q2", first.conversation)
    messages = bench.upstream.of_purpose("answer")[-1].messages
    assert [m["role"] for m in as_sent] == ["assistant", "user"]
    assert messages[2:4] == as_sent
    assert messages[4] == {"role": "assistant", "content": "42"}


async def test_a_call_that_was_cut_off_is_told_as_interrupted(bench: Bench) -> None:
    await bench.configure(history_mode="full")
    bench.upstream.script(calls(call("calculator", expression="6*7")), text("42"))
    first = await bench.answer("Q1")
    action = first.thoughts.filter(event="agent_action")
    await in_database(action.update, tool_status="cancelled", observation="")
    await bench.answer("Q2", first.conversation)
    messages = bench.upstream.of_purpose("answer")[-1].messages
    (result,) = [m for m in messages if m["role"] == "tool"]
    assert "interrupted" in result["content"]
