"""A stop that comes at a bad moment loses nothing that was committed or shown, and nobody waits for ever."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest
from django.db import OperationalError

from agents.events import QueueEvent
from apps.conversations.models import Message
from apps.runs import batch, claim
from apps.runs.database import in_database
from apps.runs.deletion import delete_conversation
from apps.runs.heartbeat import beat
from apps.runs.stop import stop_run
from apps.usage.models import ModelCall
from tests.fakes.upstream import call, calls, failure, gate, text
from tests.runs.conftest import Bench


@pytest.fixture
def stop_during(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """`stop_during(bench, module, name)`: the first call of a database function is met by a stop."""

    def arrange(bench: Bench, module: Any, name: str) -> None:
        original = getattr(module, name)
        is_first = [True]

        def met(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            if is_first.pop() if is_first else False:
                for task_id in bench.home.running:
                    bench.home.stop(task_id)
            return result

        for user in ("apps.runs.recorder", "apps.runs.execution"):
            monkeypatch.setattr(f"{user}.{name}", met, raising=False)

    return arrange


async def gapless(bench: Bench, message: Message) -> list[str]:
    """The kinds of all events, after checking that none is missing and one terminal one is last."""
    thoughts = await bench.events(message)
    assert [t.seq for t in thoughts] == list(range(1, len(thoughts) + 1))
    assert [t.event.is_terminal for t in thoughts].count(True) == 1
    assert thoughts[-1].event.is_terminal
    return [t.event for t in thoughts]


async def test_a_stop_during_the_claim_is_a_stop(
    bench: Bench, stop_during: Callable[..., None]
) -> None:
    stop_during(bench, claim, "claim_message")
    row = await bench.answer("Hello?")
    assert row.status == "stopped"
    assert bench.upstream.of_purpose("answer") == []


async def test_a_stop_during_a_commit_keeps_its_rows_and_events(
    bench: Bench, stop_during: Callable[..., None]
) -> None:
    stop_during(bench, batch, "write_batch")
    bench.upstream.script(calls(call("calculator", expression="1+1"), content="Let me see. "))
    message = await bench.ask("One and one?")
    kinds = await gapless(bench, message)
    row = await bench.row(message)
    assert row.status == "stopped"
    assert kinds[-1] is QueueEvent.STOP
    steps = await bench.steps(message)
    assert [(s.position, s.event) for s in steps] == [(1, "agent_thought"), (2, "agent_action")]
    ledger = await in_database(lambda: list(ModelCall.objects.filter(message=row)))
    assert sum(one.input_tokens or 0 for one in ledger) == row.input_tokens == 10


async def test_a_stop_during_the_end_comes_too_late(
    bench: Bench, stop_during: Callable[..., None]
) -> None:
    stop_during(bench, batch, "write_end")
    bench.upstream.script(text("Done."))
    message = await bench.ask("Hello?")
    assert (await gapless(bench, message))[-1] is QueueEvent.AGENT_END
    assert (await bench.row(message)).answer == "Done."


async def test_a_database_that_is_locked_for_a_moment_costs_no_answer(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    failures = [OperationalError("database is locked")] * 2

    def flaky(*args: Any, **kwargs: Any) -> bool:
        if failures:
            raise failures.pop()
        return batch.write_end(*args, **kwargs)

    monkeypatch.setattr("apps.runs.recorder.write_end", flaky)
    bench.upstream.script(text("Done."))
    row = await bench.answer("Hello?")
    assert (row.status, row.answer) == ("normal", "Done.")


async def test_deleting_a_conversation_stops_what_runs_and_what_waits(bench: Bench) -> None:
    """open-webui#26668."""
    gated = gate(text("Late.", chunks=2), after=2)
    bench.upstream.script(gated)
    first = await bench.ask("One")
    second = await bench.ask("Two", first.conversation)
    await asyncio.to_thread(gated.wait_reached)
    await in_database(delete_conversation, first.conversation)
    gated.release()
    assert {(await bench.ended(m)).status for m in (first, second)} == {"stopped"}
    assert len(bench.upstream.of_purpose("answer")) == 1


async def test_a_reader_of_a_waiting_question_learns_of_its_stop_at_once(bench: Bench) -> None:
    gated = gate(text("First"), after=0)
    bench.upstream.script(gated)
    first = await bench.ask("One")
    second = await bench.ask("Two", first.conversation)
    reader = asyncio.create_task(bench.events(second))
    await asyncio.sleep(0)
    await in_database(stop_run, second)
    async with asyncio.timeout(2):
        assert (await reader)[-1].event is QueueEvent.STOP
    gated.release()


async def test_a_retry_does_not_hold_back_the_answer(bench: Bench) -> None:
    gated = gate(text("Half an answer", chunks=2), after=2)
    bench.upstream.script(failure(503, {"error": {"message": "busy"}}), gated)
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    async with asyncio.timeout(5):
        seen, after = "", 0
        while "Half" not in seen:
            events = await bench.home.log.read(str(message.task_id), after=after, wait=1)
            after = events[-1].seq
            seen += "".join(event.answer or "" for event in events)
    gated.release()
    notices = [step for step in await bench.steps(await bench.ended(message)) if step.code]
    assert [notice.code for notice in notices] == ["model_retry"]


async def test_text_that_a_checkpoint_kept_is_no_answer_once_it_is_thought(bench: Bench) -> None:
    gated = gate(calls(call("calculator", expression="1+1"), content="Let me think. "), after=1)
    later = gate(text("Two."), after=0)
    bench.upstream.script(gated, later)
    message = await bench.ask("One and one?")
    await asyncio.to_thread(gated.wait_reached)
    async with asyncio.timeout(5):
        while not (await bench.row(message)).answer:
            await beat(bench.home)
    gated.release()
    await asyncio.to_thread(later.wait_reached)
    assert (await bench.row(message)).answer == ""
    later.release()
    assert (await bench.ended(message)).answer == "Two."
