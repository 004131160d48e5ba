"""Events added up by id."""

from collections.abc import AsyncGenerator
from uuid import uuid4

import pytest

from agents.events import AgentThought, QueueEvent
from apps.api.collecting import RunAnswer, add_up, collect_answer
from apps.api.server_sent_events import render_events
from apps.conversations.models import Message
from apps.runs.refusal import RunRefused


def event(kind: QueueEvent, step: str = "message-1", **fields: object) -> AgentThought:
    return AgentThought.model_validate({"id": step, "task_id": "t", "event": kind, **fields})


def a_message() -> Message:
    return Message(id=uuid4(), conversation_id=uuid4(), task_id=uuid4())


async def collect(*events: AgentThought) -> RunAnswer:
    return await collect_answer(a_message(), stream(*events))


async def stream(*events: AgentThought) -> AsyncGenerator[AgentThought, None]:
    for one in events:
        yield one


END = event(QueueEvent.AGENT_END, "end", status="normal")


async def test_the_answer_is_the_last_message_and_not_what_was_taken_back() -> None:
    said = await collect(
        event(QueueEvent.AGENT_MESSAGE, answer="Let me "),
        event(QueueEvent.AGENT_MESSAGE, answer="see."),
        event(QueueEvent.AGENT_THOUGHT, thought="Let me see."),
        event(QueueEvent.AGENT_MESSAGE, "message-2", reasoning="Hm.", answer="4"),
        event(QueueEvent.AGENT_MESSAGE, "message-2", answer="2"),
        END,
    )
    assert (said.answer, said.reasoning) == ("42", "Hm.")
    thought = said.steps[0]
    assert (thought.event, thought.thought, thought.answer) == (
        "agent_thought",
        "Let me see.",
        None,
    )


async def test_a_tool_call_is_one_step_with_its_result() -> None:
    said = await collect(
        event(QueueEvent.AGENT_ACTION, "action-1", tool="clock", tool_status="pending"),
        event(QueueEvent.AGENT_ACTION, "action-1", tool_status="success", observation="noon"),
        END,
    )
    step = said.steps[0]
    assert (step.tool, step.tool_status, step.observation) == ("clock", "success", "noon")
    assert said.answer == ""


async def test_a_snapshot_replaces_what_was_collected_and_deltas_go_on_from_it() -> None:
    so_far = {"id": "message-1", "task_id": "t", "event": "agent_message", "answer": "One "}
    said = await collect(
        event(QueueEvent.AGENT_MESSAGE, answer="On"),
        event(QueueEvent.SNAPSHOT, "snapshot", steps=[so_far], answer="One "),
        event(QueueEvent.PING, "ping"),
        event(QueueEvent.AGENT_MESSAGE, answer="two"),
        END,
    )
    assert said.answer == "One two"


async def test_a_run_that_is_deleted_while_it_is_read_is_not_found() -> None:
    with pytest.raises(RunRefused) as refusal:
        await collect(event(QueueEvent.AGENT_MESSAGE, answer="On"))
    assert refusal.value.status == 404


def test_an_event_leaves_what_it_does_not_mention() -> None:
    step = event(QueueEvent.AGENT_MESSAGE, answer="a", code="x")
    grown = add_up(step, event(QueueEvent.AGENT_MESSAGE, answer="b", latency=1.5))
    assert (grown.answer, grown.code, grown.latency) == ("ab", "x", 1.5)
    assert step.answer == "a"


async def test_a_frame_has_one_line_of_data_and_a_ping_no_number() -> None:
    message = a_message()
    thoughts = stream(
        event(QueueEvent.AGENT_MESSAGE, answer="a\nb\r\n\u2028c", seq=7),
        event(QueueEvent.PING, "ping"),
    )
    frames = [frame async for frame in render_events(message, thoughts)]
    assert frames[1] == ": ping\n\n"
    number, kind, *rest = frames[0].removesuffix("\n\n").split("\n")
    assert (number, kind) == ("id: 7", "event: agent_message")
    assert len(rest) == 1
    assert "\r" not in rest[0]
    data = AgentThought.model_validate_json(rest[0].removeprefix("data: "))
    assert (data.answer, data.message_id) == ("a\nb\r\n\u2028c", str(message.pk))
