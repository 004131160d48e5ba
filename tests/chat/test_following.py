"""Following a run for one socket: order, flow control, and the HTML of changed blocks."""

import asyncio
import json
from typing import Any
from uuid import uuid4

import pytest

from agents.events import AgentThought, Audience, QueueEvent
from apps.chat.asking import FollowedRun
from apps.chat.following import MOST_IN_FLIGHT, RunFollower
from apps.conversations.markdown import render_markdown
from apps.runs.home import get_home


class Reader:
    """What a socket was sent, and the page it makes of it."""

    def __init__(self) -> None:
        self.frames: list[dict[str, Any]] = []
        self.blocks: dict[int, str] = {}
        self._changed = asyncio.Condition()

    async def send(self, text: str) -> None:
        frame = json.loads(text)
        if frame.get("html_reset"):
            self.blocks.clear()
        for block in frame.get("html", []):
            self.blocks[block["index"]] = block["html"]
        async with self._changed:
            self.frames.append(frame)
            self._changed.notify_all()

    async def wait_for(self, count: int) -> None:
        async with asyncio.timeout(5), self._changed:
            await self._changed.wait_for(lambda: len(self.frames) >= count)

    @property
    def seqs(self) -> list[int]:
        return [frame["seq"] for frame in self.frames if frame.get("seq")]

    @property
    def page(self) -> str:
        return "".join(self.blocks[index] for index in sorted(self.blocks))


class Run:
    """A run whose events the test appends itself."""

    def __init__(self) -> None:
        self.task_id = str(uuid4())
        self.seq = 0
        self._log = get_home().log
        self._log.open(self.task_id)

    def add(self, event: QueueEvent, step: str, **fields: Any) -> None:
        self.seq += 1
        thought = AgentThought(id=step, task_id=self.task_id, seq=self.seq, event=event, **fields)
        self._log.append(self.task_id, [thought])

    def say(self, *pieces: str, step: str = "message-1") -> None:
        for piece in pieces:
            self.add(QueueEvent.AGENT_MESSAGE, step, answer=piece)

    def end(self) -> None:
        self.add(QueueEvent.AGENT_END, "end", status="normal")

    def follower(self, reader: Reader, *, after: int = 0, is_html: bool = False) -> RunFollower:
        run = FollowedRun(
            task_id=self.task_id, message_id="", conversation_id="", audience=Audience.ASKER_FULL
        )
        return RunFollower(run, after=after, is_html=is_html, send=reader.send)


@pytest.fixture
async def run() -> Run:
    get_home().bind(asyncio.get_running_loop())
    return Run()


async def test_events_arrive_in_order_and_end_with_the_terminal_one(run: Run) -> None:
    reader = Reader()
    run.add(QueueEvent.RUN_STARTED, "start")
    run.say("a", "b")
    run.end()
    await run.follower(reader).follow()
    assert reader.seqs == [1, 2, 3, 4]
    assert {frame["type"] for frame in reader.frames} == {"event"}
    assert "html" not in reader.frames[1]


async def test_at_most_256_events_are_in_flight(run: Run) -> None:
    reader = Reader()
    run.say(*["x"] * (MOST_IN_FLIGHT + 50))
    run.end()
    follower = run.follower(reader)
    following = asyncio.create_task(follower.follow())
    await reader.wait_for(MOST_IN_FLIGHT)
    assert reader.seqs[-1] == MOST_IN_FLIGHT
    assert not following.done()
    follower.acknowledge(10)
    await reader.wait_for(MOST_IN_FLIGHT + 10)
    assert reader.seqs[-1] == MOST_IN_FLIGHT + 10
    follower.acknowledge(MOST_IN_FLIGHT)
    await following
    assert reader.seqs == list(range(1, run.seq + 1))


async def test_acknowledging_what_was_never_sent_opens_no_window(run: Run) -> None:
    reader = Reader()
    follower = run.follower(reader)
    follower.acknowledge(10_000)
    run.say(*["x"] * (MOST_IN_FLIGHT + 50))
    following = asyncio.create_task(follower.follow())
    await reader.wait_for(MOST_IN_FLIGHT)
    assert reader.seqs[-1] == MOST_IN_FLIGHT
    following.cancel()


TEXT = (
    "# One\n\ntwo *three*\n\n- a\n- b\n\n```python\nx = 1\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |\n"
)


async def test_streamed_blocks_are_the_whole_text_rendered(run: Run) -> None:
    reader = Reader()
    run.say(*TEXT)
    run.add(QueueEvent.AGENT_MESSAGE, "message-1", total_token_count=3)
    run.end()
    follower = run.follower(reader, is_html=True)
    follower.acknowledge(0)
    await follower.follow()
    assert reader.page == render_markdown(TEXT)


async def test_html_comes_at_most_every_60_ms_and_late_text_is_shown_by_itself(run: Run) -> None:
    reader = Reader()
    follower = run.follower(reader, is_html=True)
    following = asyncio.create_task(follower.follow())
    run.say("first ", "second ", "third")
    await reader.wait_for(4)
    assert ["html" in frame for frame in reader.frames] == [True, False, False, True]
    assert reader.frames[3]["type"] == "html"
    assert reader.page == "<p>first second third</p>\n"
    following.cancel()


async def test_text_that_became_thought_is_taken_back(run: Run) -> None:
    reader = Reader()
    run.say("Let me look", step="message-1")
    run.add(QueueEvent.AGENT_THOUGHT, "message-1", thought="Let me look")
    run.say("It is noon.", step="message-2")
    run.add(QueueEvent.AGENT_MESSAGE, "message-2", total_token_count=3)
    run.end()
    await run.follower(reader, is_html=True).follow()
    assert reader.page == "<p>It is noon.</p>\n"


@pytest.mark.parametrize("cut", range(12))
async def test_a_reader_that_comes_back_at_any_cut_has_the_same_page(run: Run, cut: int) -> None:
    run.say("Let me look", step="message-1")
    run.add(QueueEvent.AGENT_THOUGHT, "message-1", thought="Let me look")
    run.say("# He", "re\n", "\nit ", "is: ", "**12", "**", step="message-2")
    run.add(QueueEvent.AGENT_MESSAGE, "message-2", total_token_count=3)
    run.add(QueueEvent.AGENT_THOUGHT, "notice-1", code="note", observation="n")
    run.end()
    whole, back = Reader(), Reader()
    await run.follower(whole, is_html=True).follow()
    for frame in whole.frames[:cut]:
        await back.send(json.dumps(frame))
    await run.follower(back, after=cut, is_html=True).follow()
    assert back.seqs == list(range(1, run.seq + 1))
    assert back.page == whole.page == render_markdown("# Here\n\nit is: **12**")


async def test_a_snapshot_takes_the_place_of_what_was_shown(run: Run) -> None:
    reader = Reader()

    follower = run.follower(reader, is_html=True)
    following = asyncio.create_task(follower.follow())
    run.say("old text")
    await reader.wait_for(1)
    steps = [{"id": "message-2", "event": "agent_message", "answer": "new "}]
    run.add(QueueEvent.SNAPSHOT, "snapshot", answer="new ", steps=steps)
    run.say("text", step="message-2")
    run.end()
    await following
    assert reader.page == "<p>new text</p>\n"
