"""Stop that really stops."""

import asyncio
import time

import pytest

from agents.events import Audience, QueueEvent
from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.runs.access import find_message
from apps.runs.database import in_database
from apps.runs.heartbeat import beat
from apps.runs.reading import follow_run
from apps.runs.refusal import RunRefused
from apps.runs.stop import stop_run
from tests.fakes.upstream import HANG, call, calls, gate, text
from tests.runs.conftest import Bench


async def test_stop_while_streaming_closes_the_upstream_at_once(bench: Bench) -> None:
    """dify#36164: at most one further chunk is sent."""
    gated = gate(text("word " * 400, chunks=400, delay=0.01), after=6)
    bench.upstream.script(gated)
    message = await bench.ask("Talk for long.")
    await asyncio.to_thread(gated.wait_reached)
    gated.release()
    started = time.monotonic()
    await in_database(stop_run, message)
    row = await bench.ended(message)
    took = time.monotonic() - started
    exchange = bench.upstream.requests[0]
    await asyncio.to_thread(exchange.wait_ended)
    assert row.status == "stopped"
    assert exchange.is_aborted
    assert took < 1
    assert exchange.sent_after(started + took) <= 1


async def test_what_was_written_before_the_stop_is_kept(bench: Bench) -> None:
    gated = gate(text("Once upon a time", chunks=4), after=3)
    bench.upstream.script(gated)
    message = await bench.ask("Tell me a story.")
    seen = ""
    async for thought in follow_run(str(message.task_id), after=0, audience=Audience.BUILDER):
        seen += thought.answer or ""
        if len(seen) >= 8 and not thought.event.is_terminal:
            await in_database(stop_run, message)
    row = await bench.row(message)
    assert (row.status, row.answer) == ("stopped", seen)
    assert [(s.event, s.answer) for s in await bench.steps(message)] == [("agent_message", seen)]


async def test_no_tool_runs_after_a_stop(bench: Bench) -> None:
    """dify#40966."""
    gated = gate(calls(call("calculator", expression="1+1"), content="Well "), after=1)
    bench.upstream.script(gated)
    message = await bench.ask("One and one?")
    await asyncio.to_thread(gated.wait_reached)
    await in_database(stop_run, message)
    gated.release()
    assert (await bench.ended(message)).status == "stopped"
    assert all(step.event != "agent_action" for step in await bench.steps(message))
    assert len(bench.upstream.requests) == 1


async def test_a_reader_sees_exactly_one_stop_event_last(bench: Bench) -> None:
    bench.upstream.script(text("Hm", done=False, finish=None) + HANG)
    message = await bench.ask("Hello?")
    reader = asyncio.create_task(bench.events(message))
    await asyncio.to_thread(bench.upstream.wait_for, lambda: bench.upstream.requests)
    await in_database(stop_run, message)
    await in_database(stop_run, message)
    thoughts = await reader
    assert [t.event for t in thoughts if t.event.is_terminal] == [QueueEvent.STOP]
    assert thoughts[-1].event is QueueEvent.STOP


async def test_a_queued_question_is_stopped_before_it_starts(bench: Bench) -> None:
    gated = gate(text("First"), after=0)
    bench.upstream.script(gated)
    first = await bench.ask("One")
    second = await bench.ask("Two", first.conversation)
    await in_database(stop_run, second)
    gated.release()
    assert (await bench.ended(first)).answer == "First"
    assert (await bench.ended(second)).status == "stopped"
    assert len(bench.upstream.of_purpose("answer")) == 1


async def test_stopping_an_ended_run_changes_nothing(bench: Bench) -> None:
    bench.upstream.script(text("Done."))
    message = await bench.answer("Hello?")
    await in_database(stop_run, message)
    row = await bench.row(message)
    assert (row.status, row.stop_requested_at) == ("normal", None)


async def test_the_mark_in_the_row_alone_stops_a_run(bench: Bench) -> None:
    """As when another process took the request and Redis is away."""
    gated = gate(text("a b", chunks=2), after=1)
    bench.upstream.script(gated)
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    stop, bench.home.stop = bench.home.stop, lambda *_: None  # type: ignore[method-assign]
    await in_database(stop_run, message)
    bench.home.stop = stop  # type: ignore[method-assign]
    await beat(bench.home)
    assert (await bench.ended(message)).status == "stopped"


async def test_somebody_elses_run_is_not_found(bench: Bench) -> None:
    bench.upstream.script(text("Done."))
    message = await bench.answer("Hello?")

    def find_as_stranger() -> None:
        stranger = User.objects.create_user("eve", password="a-long-password")
        find_message(caller_for_user(stranger), task_id=str(message.task_id))

    with pytest.raises(RunRefused) as refused:
        await in_database(find_as_stranger)
    assert (refused.value.code, refused.value.status) == ("not_found", 404)
