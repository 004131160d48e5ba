"""Tool calls as models send them: odd ids, attachments that no column takes, many at once."""

import json
import math
from typing import Any

import pytest

from tests.fakes.upstream import call, calls, text
from tests.runs.conftest import Bench, error_of


def called(bench: Bench) -> list[dict[str, Any]]:
    """The calls in the last request."""
    messages = bench.upstream.bodies[-1]["messages"]
    return [one for message in messages for one in message.get("tool_calls", [])]


@pytest.mark.parametrize(
    "odd",
    ["x" * 300, "call 1", "appel/été", "functions.calculator:0\n"],
    ids=["long", "space", "letters", "line break"],
)
async def test_an_id_that_would_be_refused_gives_way_to_one_that_is_not(
    bench: Bench, odd: str
) -> None:
    bench.upstream.script(calls(call("calculator", odd, expression="6*7")), text("42"))
    message = await bench.answer("Six times seven?")
    (made,) = called(bench)
    (result,) = [m for m in bench.upstream.bodies[-1]["messages"] if m["role"] == "tool"]
    assert made["id"] == result["tool_call_id"] != odd
    assert len(made["id"]) <= 64
    assert result["content"] == "42"
    assert [s.tool_call_id for s in await bench.steps(message) if s.tool] == [made["id"]]


@pytest.mark.parametrize("plain", ["functions.calculator:0", "call_A-1", "x" * 64])
async def test_an_ordinary_id_is_kept(bench: Bench, plain: str) -> None:
    bench.upstream.script(calls(call("calculator", plain, expression="6*7")), text("42"))
    await bench.answer("Six times seven?")
    assert [one["id"] for one in called(bench)] == [plain]


async def test_two_long_ids_that_begin_alike_stay_two(bench: Bench) -> None:
    long = "x" * 300
    bench.upstream.script(
        calls(
            call("calculator", f"{long}1", expression="1+1"),
            call("calculator", f"{long}2", expression="2+2"),
        ),
        calls(call("calculator", f"{long}1", expression="3+3")),
        text("2, 4 and 6"),
    )
    message = await bench.answer("Three sums, please.")
    actions = [step for step in await bench.steps(message) if step.tool]
    assert [step.observation for step in actions] == ["2", "4", "6"]
    assert len({step.tool_call_id for step in actions}) == 3


async def test_what_a_service_attached_to_a_call_goes_back_with_it_under_its_new_id(
    bench: Bench,
) -> None:
    rounds = [
        calls(call("calculator", "call_0", expression=f"{n}+1") | {"extra_content": {"mark": n}})
        for n in range(2)
    ]
    bench.upstream.script(*rounds, text("1 and 2"))
    await bench.answer("Two sums, one after the other.")
    assert [one["extra_content"] for one in called(bench)] == [{"mark": 0}, {"mark": 1}]


async def test_an_attachment_that_no_database_takes_is_cleaned(bench: Bench) -> None:
    odd = {"signature": "a\x00b", "score": math.nan, "list": [math.inf, "\x00"]}
    bench.upstream.script(
        calls(call("calculator", expression="6*7") | {"extra_content": odd}), text("42")
    )
    message = await bench.answer("Six times seven?")
    assert message.status == "normal"
    stored = (await bench.steps(message))[0].assistant_message
    assert stored is not None
    assert stored["additional_kwargs"]["raw"]["extra_content"] == {
        "call_calculator": {"signature": "ab", "score": None, "list": [None, ""]}
    }


async def test_a_number_too_large_for_json_does_not_end_the_run(bench: Bench) -> None:
    huge = call("calculator") | {"function": {"name": "calculator", "arguments": '{"x": 1e999}'}}
    bench.upstream.script(calls(huge), text("Never mind."))
    message = await bench.answer("How much is it?")
    assert (message.status, message.answer) == ("normal", "Never mind.")


async def test_a_loop_inside_one_reply_ends_the_run_after_every_result_is_kept(
    bench: Bench,
) -> None:
    failing = [call("calculator", f"c{n}", expression="1/0") for n in range(5)]
    bench.upstream.script(calls(*failing, call("calculator", "good", expression="6*7")))
    message = await bench.answer("Divide by zero, often.")
    assert error_of(message)["code"] == "loop_detected"
    actions = [step for step in await bench.steps(message) if step.tool]
    assert [step.tool_status for step in actions] == ["error"] * 5 + ["success"]
    assert "5 times" in actions[4].observation


async def test_a_step_shows_what_is_new_in_it_also_after_a_repair(bench: Bench) -> None:
    """The empty answer is dropped and the questions around it are joined: the list sent is shorter."""
    bench.upstream.script(text(""), calls(call("calculator", "c1", expression="6*7")), text("42"))
    first = await bench.answer("Hello?")
    message = await bench.answer("Six times seven?", first.conversation)
    steps = await bench.steps(message)
    assert "history_repaired" in {step.code for step in steps}
    assert [m["role"] for m in steps[-1].new_messages or []] == ["tool"]
    assert json.dumps(steps[-1].new_messages).count("42") == 1


async def test_events_are_cut_where_they_grow_too_large_and_rows_are_not(bench: Bench) -> None:
    """open-webui#25975."""
    expression = "汉" * 330_000
    arguments = json.dumps({"expression": expression}, ensure_ascii=False)
    asked = call("calculator") | {"function": {"name": "calculator", "arguments": arguments}}
    bench.upstream.script(calls(asked), text("Too much."))
    message = await bench.ask("How much is it?")
    thoughts = await bench.events(message)
    assert max(len(thought.as_json().encode()) for thought in thoughts) <= 256 * 1024
    assert max(len(thought.tool_input or "") for thought in thoughts) > 10_000
    thought, action, _answer = await bench.steps(message)
    assert action.tool_input == arguments
    assert thought.assistant_message is not None
    assert thought.assistant_message["tool_calls"][0]["args"] == {"expression": expression}


async def test_a_long_thought_is_whole_in_its_row(bench: Bench) -> None:
    long = "Let me think. " * 20_000
    bench.upstream.script(calls(call("calculator", expression="6*7"), content=long), text("42"))
    message = await bench.answer("Six times seven?")
    assert (await bench.steps(message))[0].thought == long
