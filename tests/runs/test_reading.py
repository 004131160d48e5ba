"""Readers come, go and come back; every one ends with the same state."""

import asyncio
from dataclasses import dataclass, field

import pytest

from agents.events import AgentThought, Audience, QueueEvent
from agents.memory_event_log import MemoryEventLog
from apps.conversations.models import Message
from apps.runs.database import in_database
from apps.runs.heartbeat import beat
from apps.runs.reading import follow_run
from apps.runs.snapshot import read_progress, snapshot_of
from tests.fakes.upstream import call, calls, gate, text
from tests.runs.conftest import Bench


@dataclass
class Page:
    """What a reader knows: texts by id, taken back or not, and the end. A snapshot replaces all of it."""

    answers: dict[str, str] = field(default_factory=dict)
    actions: dict[str, str] = field(default_factory=dict)
    status: str | None = None
    after: int = 0

    def take(self, thought: AgentThought) -> None:
        self.after = thought.seq
        match thought.event:
            case QueueEvent.SNAPSHOT:
                self.answers, self.actions = {}, {}
                for step in thought.steps or []:
                    self._take_step(AgentThought.model_validate(step))
            case event if event.is_terminal:
                self.status = thought.status
            case _:
                self._take_step(thought)

    def _take_step(self, thought: AgentThought) -> None:
        match thought.event:
            case QueueEvent.AGENT_MESSAGE:
                self.answers[thought.id] = self.answers.get(thought.id, "") + (thought.answer or "")
            case QueueEvent.AGENT_THOUGHT:
                self.answers.pop(thought.id, None)
            case QueueEvent.AGENT_ACTION:
                self.actions[thought.id] = f"{thought.tool}: {thought.observation}"
            case _:
                pass


async def two_rounds(bench: Bench) -> list[AgentThought]:
    """A finished run with a tool round, read while its log was there."""
    bench.upstream.script(
        calls(call("calculator", expression="6*7"), content="Let me calculate. "),
        text("It is forty-two, of course.", chunks=8),
    )
    message = await bench.ask("Six times seven?")
    return await bench.events(message)


def page_of(thoughts: list[AgentThought]) -> Page:
    page = Page()
    for thought in thoughts:
        page.take(thought)
    return page


async def test_a_reader_cut_off_after_any_event_ends_with_the_same_page(bench: Bench) -> None:
    """open-webui#29596."""
    whole = await two_rounds(bench)
    task = whole[0].task_id
    for cut in range(len(whole)):
        page = page_of(whole[:cut])
        async for thought in follow_run(task, after=page.after, audience=Audience.BUILDER):
            page.take(thought)
        assert page == page_of(whole)


async def test_when_the_log_is_gone_the_rows_tell_the_same(bench: Bench) -> None:
    whole = await two_rounds(bench)
    task = whole[0].task_id
    bench.home._log = MemoryEventLog()
    for cut in range(len(whole)):
        page = page_of(whole[:cut])
        kinds = []
        async for thought in follow_run(task, after=page.after, audience=Audience.BUILDER):
            kinds.append(thought.event)
            page.take(thought)
        assert kinds == [QueueEvent.SNAPSHOT, QueueEvent.AGENT_END]
        assert page == page_of(whole)


async def test_who_has_read_everything_gets_nothing_more(bench: Bench) -> None:
    whole = await two_rounds(bench)
    task, last = whole[0].task_id, whole[-1].seq
    bench.home._log = MemoryEventLog()
    assert [t async for t in follow_run(task, after=last, audience=Audience.BUILDER)] == []


async def test_an_unknown_number_reads_everything_again(bench: Bench) -> None:
    whole = await two_rounds(bench)
    task = whole[0].task_id
    again = [t async for t in follow_run(task, after=9999, audience=Audience.BUILDER)]
    assert page_of(again) == page_of(whole)


async def test_an_unknown_number_of_a_running_run_reads_what_there_is(bench: Bench) -> None:
    gated = gate(text("Half an answer", chunks=2), after=2)
    bench.upstream.script(gated)
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    await wait_for_checkpoint(bench, message)
    page = Page()
    async for thought in follow_run(str(message.task_id), after=999_999, audience=Audience.BUILDER):
        page.take(thought)
        if thought.event is QueueEvent.SNAPSHOT:
            assert page.answers == {"message-1": "Half an"}
            gated.release()
    assert page.answers == {"message-1": "Half an answer"}


async def test_a_reader_cut_off_while_the_run_goes_on_ends_with_the_same_page(
    bench: Bench,
) -> None:
    """The log is lost in mid-run; the rows have the finished steps and the last checkpoint."""
    gated = gate(text("Half an answer", chunks=2), after=2)
    bench.upstream.script(
        calls(call("calculator", expression="6*7"), content="Let me calculate. "), gated
    )
    message = await bench.ask("Hello?")
    await asyncio.to_thread(gated.wait_reached)
    await wait_for_checkpoint(bench, message)
    progress = await in_database(read_progress, str(message.task_id))
    assert progress is not None
    for audience in Audience:
        page = Page()
        page.take(snapshot_of(progress, str(message.task_id), audience))
        gated.release()
        async for thought in follow_run(str(message.task_id), after=page.after, audience=audience):
            page.take(thought)
        assert page.answers == {"message-2": "Half an answer"}


@pytest.mark.parametrize("audience", list(Audience))
async def test_every_audience_ends_with_the_same_answer(bench: Bench, audience: Audience) -> None:
    whole = await two_rounds(bench)
    task = whole[0].task_id
    live = [t async for t in follow_run(task, after=0, audience=audience)]
    bench.home._log = MemoryEventLog()
    stored = [t async for t in follow_run(task, after=0, audience=audience)]
    assert page_of(live).answers == page_of(stored).answers == page_of(whole).answers


async def test_names_show_tools_but_neither_input_nor_result(bench: Bench) -> None:
    whole = await two_rounds(bench)
    names = [t async for t in follow_run(whole[0].task_id, after=0, audience=Audience.ASKER_NAMES)]
    actions = [t for t in names if t.event is QueueEvent.AGENT_ACTION]
    assert {t.tool for t in actions} == {"calculator"}
    assert all(t.tool_input is None and t.observation is None for t in actions)


async def test_off_shows_no_steps(bench: Bench) -> None:
    whole = await two_rounds(bench)
    off = [t async for t in follow_run(whole[0].task_id, after=0, audience=Audience.ASKER_OFF)]
    assert not any(t.event is QueueEvent.AGENT_ACTION for t in off)


async def wait_for_checkpoint(bench: Bench, message: Message) -> None:
    """Return when the row has some of the unfinished answer."""
    async with asyncio.timeout(5):
        while not (await bench.row(message)).answer:
            await beat(bench.home)
