"""The contract of event logs, kept by the one in memory and the one in Redis, in the writing and in another process."""

import asyncio
import socket
from collections.abc import AsyncIterator
from uuid import uuid4

import pytest
from redis import Redis

from agents import redis_event_log
from agents.event_log import EventLog, LogGone
from agents.events import AgentThought, QueueEvent
from agents.memory_event_log import MemoryEventLog
from agents.redis_event_log import RedisEventLog

LENGTH = 12


def delta(task_id: str, seq: int) -> AgentThought:
    return AgentThought(
        id="message-1", task_id=task_id, seq=seq, event=QueueEvent.AGENT_MESSAGE, answer=f"{seq} "
    )


def terminal(task_id: str, seq: int) -> AgentThought:
    return AgentThought(id="end", task_id=task_id, seq=seq, event=QueueEvent.AGENT_END)


def numbers(events: list[AgentThought]) -> list[int]:
    return [event.seq for event in events]


def make_log(request: pytest.FixtureRequest, kind: str) -> EventLog:
    if kind == "memory":
        return MemoryEventLog()
    return RedisEventLog(request.getfixturevalue("redis_url"), ttl=60)


class Pair:
    """A log to write to and one to read from; in Redis they may be those of two processes."""

    def __init__(self, writer: EventLog, reader: EventLog) -> None:
        self.writer = writer
        self.reader = reader


@pytest.fixture(params=["memory", "redis, own process", "redis, other process"])
async def logs(request: pytest.FixtureRequest) -> AsyncIterator[Pair]:
    if request.param == "memory":
        log = MemoryEventLog()
        yield Pair(log, log)
        return
    url = request.getfixturevalue("redis_url")
    writer = RedisEventLog(url, ttl=60)
    reader = writer if "own" in request.param else RedisEventLog(url, ttl=60)
    yield Pair(writer, reader)
    await writer.close()
    await reader.close()


async def read_to_end(log: EventLog, task_id: str, after: int = 0) -> list[AgentThought]:
    """As a reader does, for at most 5 s; an unknown task may still begin."""
    seen: list[AgentThought] = []
    async with asyncio.timeout(5):
        while not (seen and seen[-1].event.is_terminal):
            try:
                seen += await log.read(task_id, after=seen[-1].seq if seen else after, wait=1.0)
            except LogGone:
                await asyncio.sleep(0.01)
    return seen


async def test_a_reader_that_comes_late_gets_everything_in_order(logs: Pair) -> None:
    task = str(uuid4())
    for seq in range(1, LENGTH):
        logs.writer.append(task, [delta(task, seq)])
    logs.writer.append(task, [terminal(task, LENGTH)])
    assert [event.seq for event in await read_to_end(logs.reader, task)] == list(
        range(1, LENGTH + 1)
    )


async def test_a_reader_that_waits_gets_events_as_they_come(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.open(task)
    reader = asyncio.create_task(read_to_end(logs.reader, task))
    for seq in range(1, LENGTH):
        logs.writer.append(task, [delta(task, seq)])
        await asyncio.sleep(0.01)
    logs.writer.append(task, [terminal(task, LENGTH)])
    assert [event.seq for event in await reader] == list(range(1, LENGTH + 1))


@pytest.mark.parametrize("cut", range(LENGTH))
async def test_a_reader_that_was_cut_off_anywhere_ends_with_the_same_text(
    logs: Pair, cut: int
) -> None:
    """open-webui#29596."""
    task = str(uuid4())
    for seq in range(1, LENGTH):
        logs.writer.append(task, [delta(task, seq)])
    logs.writer.append(task, [terminal(task, LENGTH)])
    whole = await read_to_end(logs.reader, task)
    assert whole[:cut] + await read_to_end(logs.reader, task, after=cut) == whole


async def test_several_readers_read_the_same(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.open(task)
    readers = [asyncio.create_task(read_to_end(logs.reader, task)) for _ in range(5)]
    logs.writer.append(task, [delta(task, 1), delta(task, 2), terminal(task, 3)])
    answers = await asyncio.gather(*readers)
    assert all(answer == answers[0] and len(answer) == 3 for answer in answers)


async def test_an_unknown_task_is_gone(logs: Pair) -> None:
    with pytest.raises(LogGone):
        await logs.reader.read(str(uuid4()), after=0, wait=0.05)


async def test_waiting_in_vain_gives_nothing(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1)])
    await read_until(logs.reader, task, 1)
    assert await logs.reader.read(task, after=1, wait=0.05) == []


async def test_a_number_that_was_never_reached_is_for_the_rows(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1), delta(task, 2)])
    await read_until(logs.reader, task, 2)
    with pytest.raises(LogGone):
        await logs.reader.read(task, after=99, wait=0.05)


async def test_a_log_that_was_opened_late_serves_what_it_has(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.open(task)
    logs.writer.append(task, [delta(task, 40), delta(task, 41)])
    await read_until(logs.reader, task, 41)
    assert numbers(await logs.reader.read(task, after=39, wait=0.05)) == [40, 41]
    assert numbers(await logs.reader.read(task, after=40, wait=0.05)) == [41]
    assert await logs.reader.read(task, after=41, wait=0.05) == []
    with pytest.raises(LogGone):
        await logs.reader.read(task, after=1, wait=0.05)


async def test_a_reader_stops_at_a_jump(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1), delta(task, 2), terminal(task, 10_002)])
    await read_until(logs.reader, task, 10_002)
    assert numbers(await logs.reader.read(task, after=0, wait=0.05)) == [1, 2]
    with pytest.raises(LogGone):
        await logs.reader.read(task, after=2, wait=0.05)


async def test_a_number_that_has_passed_is_not_taken_again(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1), delta(task, 2)])
    await read_until(logs.reader, task, 2)
    logs.writer.append(task, [delta(task, 2)])
    logs.writer.append(task, [delta(task, 3)])
    await read_until(logs.reader, task, 3)
    assert numbers(await logs.reader.read(task, after=0, wait=0.05)) == [1, 2, 3]


async def test_a_reader_ahead_of_the_log_gets_nothing_twice(logs: Pair) -> None:
    """Its snapshot may tell more than a writer that lags has shown."""
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1), delta(task, 2)])
    await read_until(logs.reader, task, 2)
    reader = asyncio.create_task(read_to_end(logs.reader, task, after=4))
    await asyncio.sleep(0)
    logs.writer.append(task, [delta(task, 3), delta(task, 4), delta(task, 5), terminal(task, 6)])
    assert numbers(await reader) == [5, 6]


@pytest.mark.parametrize("kind", ["memory", "redis"])
async def test_readers_of_a_run_that_is_not_written_here_are_let_go(
    request: pytest.FixtureRequest, kind: str
) -> None:
    log, task = make_log(request, kind), str(uuid4())
    log.open(task)
    reader = asyncio.create_task(log.read(task, after=0, wait=30))
    await asyncio.sleep(0)
    log.discard(task)
    with pytest.raises(LogGone):
        async with asyncio.timeout(1):
            await reader
    log.discard(task)
    await log.close()


async def test_a_discarded_run_is_read_from_the_process_that_writes_it(redis_url: str) -> None:
    writer, reader = RedisEventLog(redis_url, ttl=60), RedisEventLog(redis_url, ttl=60)
    task = str(uuid4())
    reader.open(task)
    reader.discard(task)
    writer.append(task, [delta(task, 1), terminal(task, 2)])
    assert numbers(await read_to_end(reader, task)) == [1, 2]
    await writer.close()
    await reader.close()


async def test_what_was_flushed_can_be_read_elsewhere(logs: Pair) -> None:
    task = str(uuid4())
    logs.writer.append(task, [delta(task, 1), terminal(task, 2)])
    await logs.writer.flush(task)
    assert await logs.reader.last_seq(task) == 2


async def test_the_last_number_is_known(logs: Pair) -> None:
    task = str(uuid4())
    assert await logs.reader.last_seq(task) == 0
    logs.writer.append(task, [delta(task, 1), delta(task, 2)])
    await read_until(logs.reader, task, 2)
    assert await logs.reader.last_seq(task) == 2


async def test_thousands_of_events_to_a_slow_reader_lose_nothing(logs: Pair) -> None:
    """Channels' group_send drops at 100 messages, tail first (measured)."""
    task = str(uuid4())
    logs.writer.open(task)
    reader = asyncio.create_task(read_to_end(logs.reader, task))
    for seq in range(1, 3000):
        logs.writer.append(task, [delta(task, seq)])
    logs.writer.append(task, [terminal(task, 3000)])
    assert [event.seq for event in await reader] == list(range(1, 3001))


async def test_a_finished_run_leaves_memory_after_its_linger() -> None:
    log, task = MemoryEventLog(linger=0.01), str(uuid4())
    log.append(task, [delta(task, 1), terminal(task, 2)])
    async with asyncio.timeout(5):
        while log.knows(task):
            await asyncio.sleep(0.005)
    with pytest.raises(LogGone):
        await log.read(task, after=0, wait=0.01)


async def test_readers_that_wait_do_not_hold_up_the_writer(
    redis_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(redis_event_log, "READERS", 2)
    log, task = RedisEventLog(redis_url, ttl=60), str(uuid4())
    waiting = [asyncio.create_task(log.read(f"other-{task}", after=0, wait=5)) for _ in range(2)]
    with Redis.from_url(redis_url) as redis:
        async with asyncio.timeout(5):
            while blocked_clients(redis) < 2:
                await asyncio.sleep(0.01)
        log.append(task, [delta(task, 1), terminal(task, 2)])
        async with asyncio.timeout(2):
            await log.flush(task)
        assert redis.exists(f"quintet:events:{task}")
    for reader in waiting:
        reader.cancel()
    await log.close()


def blocked_clients(redis: Redis) -> int:
    count: int = redis.info("clients")["blocked_clients"]
    return count


async def test_a_redis_that_never_answers_ends_neither_flush_nor_close_late(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(redis_event_log, "FLUSH_WITHIN", 0.05)
    monkeypatch.setattr(redis_event_log, "CLOSE_WITHIN", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        log = RedisEventLog(f"redis://127.0.0.1:{silent.getsockname()[1]}/0", ttl=60)
        log.append("task", [delta("task", 1)])
        async with asyncio.timeout(1):
            await log.flush("task")
            await log.close()
        assert numbers(await log.read("task", after=0, wait=0)) == [1]


async def test_no_key_in_redis_stays_for_ever(redis_url: str) -> None:
    log, task = RedisEventLog(redis_url, ttl=60), str(uuid4())
    log.append(task, [delta(task, 1)])
    await asyncio.sleep(0)
    log.append(task, [terminal(task, 2)])
    await log.close()
    with Redis.from_url(redis_url) as redis:
        assert 0 < redis.ttl(f"quintet:events:{task}") <= 60


async def test_a_stream_costs_redis_at_most_25_commands_a_second(redis_url: str) -> None:
    log, task = RedisEventLog(redis_url, ttl=60), str(uuid4())
    entries = []
    original = log._write_entry

    async def counted(task_id: str, events: list[AgentThought]) -> None:
        entries.append(len(events))
        await original(task_id, events)

    log._write_entry = counted  # type: ignore[method-assign, assignment]
    for seq in range(1, 101):
        log.append(task, [delta(task, seq)])
        await asyncio.sleep(0.005)
    log.append(task, [terminal(task, 101)])
    await log.close()
    assert sum(entries) == 101
    assert len(entries) <= 25


async def read_until(log: EventLog, task_id: str, seq: int) -> None:
    """Return when event `seq` can be read here."""
    async with asyncio.timeout(5):
        while await log.last_seq(task_id) < seq:
            await asyncio.sleep(0.005)
