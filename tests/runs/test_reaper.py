"""What a killed process leaves behind is ended by any other."""

import asyncio
from datetime import timedelta

from django.utils import timezone

from agents.outcome import RunStatus
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.runs.database import in_database
from apps.runs.heartbeat import beat
from apps.runs.reaper import SKIPPED_NUMBERS, reap
from tests.fakes.upstream import gate, text
from tests.runs.conftest import Bench, error_of


def leave_behind(bench: Bench, *, silent_for: float = 60.0) -> Message:
    """The rows of a run whose process was killed in a tool call, after some text was kept."""
    conversation = Conversation.objects.create(app=bench.app, caller=bench.caller, entry=Entry.WEB)
    message = Message.objects.create(
        conversation=conversation,
        app_config=bench.app.published_config,
        entry=Entry.WEB,
        caller=bench.caller,
        query="Hello?",
        status=RunStatus.RUNNING,
        answer="Half an ans",
        last_seq=7,
        heartbeat_at=timezone.now() - timedelta(seconds=silent_for),
    )
    MessageAgentThought.objects.create(
        message=message,
        position=1,
        event="agent_action",
        event_id="action-1",
        tool="calculator",
        tool_call_id="call_1",
        tool_status="pending",
        last_seq=5,
    )
    return message


async def test_a_dead_run_ends_interrupted_and_keeps_its_text(bench: Bench) -> None:
    message = await in_database(leave_behind, bench)
    await reap(bench.home)
    row = await bench.row(message)
    assert (row.status, row.answer) == ("interrupted", "Half an ans")
    assert error_of(row)["code"] == "interrupted"
    (step,) = await bench.steps(message)
    assert (step.tool_status, step.effect) == ("cancelled", "unknown")


async def test_the_conversation_goes_on_and_the_model_learns_of_the_cut(bench: Bench) -> None:
    """ragflow#13128."""
    message = await in_database(leave_behind, bench)
    await reap(bench.home)
    bench.upstream.script(text("…wer. There."))
    following = await bench.answer("continue", (await bench.row(message)).conversation)
    assert following.status == "normal"
    (earlier,) = [m for m in bench.upstream.bodies[-1]["messages"] if m["role"] == "assistant"]
    assert earlier["content"].startswith("Half an ans\n\n[This answer was interrupted")


async def test_a_question_that_waited_behind_a_dead_run_is_started(bench: Bench) -> None:
    message = await in_database(leave_behind, bench)
    waiting = await bench.ask("Are you there?", (await bench.row(message)).conversation)
    await reap(bench.home)
    assert (await bench.ended(waiting)).status == "normal"


async def test_a_living_run_is_left_alone(bench: Bench) -> None:
    message = await in_database(leave_behind, bench, silent_for=1.0)
    await reap(bench.home)
    assert (await bench.row(message)).status == "running"


async def test_an_accepted_question_that_nobody_began_is_begun(bench: Bench) -> None:
    bench.home.is_draining = True
    message = await bench.ask("Hello?")
    bench.home.is_draining = False
    long_ago = timezone.now() - timedelta(minutes=1)
    await in_database(Message.objects.filter(pk=message.pk).update, created_at=long_ago)
    await reap(bench.home)
    assert (await bench.ended(message)).status == "normal"


async def test_two_reapers_end_a_run_once(bench: Bench) -> None:
    message = await in_database(leave_behind, bench)
    await asyncio.gather(reap(bench.home), reap(bench.home))
    assert (await bench.row(message)).last_seq == 7 + SKIPPED_NUMBERS


async def test_the_heartbeat_keeps_what_was_written_so_far(bench: Bench) -> None:
    gated = gate(text("Half an answer", chunks=2), after=2)
    bench.upstream.script(gated)
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    async with asyncio.timeout(5):
        while (await bench.row(message)).answer != "Half an":
            await beat(bench.home)
    row = await bench.row(message)
    assert row.last_seq == 2
    assert row.status == "running"
    gated.release()


async def test_a_run_without_a_sign_of_life_does_not_end_twice(bench: Bench) -> None:
    """The process lives, but its lease was lost: the reaper's end stands."""
    gated = gate(text("Late", chunks=1), after=1)
    bench.upstream.script(gated)
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    long_ago = timezone.now() - timedelta(minutes=1)
    await in_database(Message.objects.filter(pk=message.pk).update, heartbeat_at=long_ago)
    await reap(bench.home)
    gated.release()
    await bench.home.finished(str(message.task_id))
    assert (await bench.row(message)).status == "interrupted"
