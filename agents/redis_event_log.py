"""The event log that other processes read: a Redis stream per task, fed from the memory log.

One stream entry holds the events of one flush; its id is `<last seq>-0`, so "after = n" is the read position
`n-0` and a repeated write of the same entry is refused by Redis itself. Without Redis a run goes on: its
process serves from memory, other readers fall back to the rows.
"""

import asyncio
import json
import logging
from collections.abc import Sequence
from typing import Any

from redis.asyncio import BlockingConnectionPool, Redis
from redis.exceptions import RedisError, ResponseError

from agents.event_log import LogGone, in_sequence
from agents.events import AgentThought
from agents.memory_event_log import MemoryEventLog

logger = logging.getLogger(__name__)

READERS = 512
WRITERS = 16
FLUSH_INTERVAL = 0.05
LONGEST_RUN = 2 * 24 * 3600
RETRY_FOR = 60.0
FLUSH_WITHIN = 2.0
CLOSE_WITHIN = 5.0


class RedisEventLog:
    """`ttl` is how long, in seconds, a finished run's events stay."""

    def __init__(self, url: str, *, ttl: int, linger: float = 60.0) -> None:
        self._ttl = ttl
        self._memory = MemoryEventLog(linger=linger)
        self._reading = _connect(url, connections=READERS, timeout=10)
        self._writing = _connect(url, connections=WRITERS, timeout=2)
        self._unwritten: dict[str, list[AgentThought]] = {}
        self._writers: dict[str, asyncio.Task[None]] = {}

    def open(self, task_id: str) -> None:
        self._memory.open(task_id)

    def discard(self, task_id: str) -> None:
        """Readers here go on to Redis, where the process that does write the run appends."""
        self._memory.discard(task_id)

    def append(self, task_id: str, events: Sequence[AgentThought]) -> None:
        self._memory.append(task_id, events)
        self._unwritten.setdefault(task_id, []).extend(events)
        if task_id not in self._writers:
            writer = asyncio.get_running_loop().create_task(self._write(task_id))
            self._writers[task_id] = writer

    async def flush(self, task_id: str) -> None:
        if writer := self._writers.get(task_id):
            await asyncio.wait([writer], timeout=FLUSH_WITHIN)

    async def read(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        if self._memory.knows(task_id):
            return await self._memory.read(task_id, after=after, wait=wait)
        try:
            return await self._read_stream(task_id, after=after, wait=wait)
        except RedisError as error:
            raise LogGone(task_id) from error

    async def last_seq(self, task_id: str) -> int:
        known = await self._memory.last_seq(task_id)
        if known:
            return known
        try:
            newest = await self._reading.xrevrange(_key(task_id), count=1)
        except RedisError:
            return 0
        return _seq(newest[0][0]) if newest else 0

    async def close(self) -> None:
        if writers := list(self._writers.values()):
            _done, unfinished = await asyncio.wait(writers, timeout=CLOSE_WITHIN)
            for writer in unfinished:
                writer.cancel()
        await self._reading.aclose()
        await self._writing.aclose()

    async def _read_stream(self, task_id: str, *, after: int, wait: float) -> list[AgentThought]:
        key = _key(task_id)
        block = max(1, int(min(wait, 5.0) * 1000))
        answer: Any = await self._reading.xread({key: f"{after}-0"}, block=block)
        entries = answer[0][1] if answer else []
        if not entries:
            newest = await self._reading.xrevrange(key, count=1)
            if not newest:
                raise LogGone(task_id)
            if _seq(newest[0][0]) < after:
                raise LogGone(task_id)
            return []
        events = [
            AgentThought.model_validate(event)
            for _id, fields in entries
            for event in json.loads(fields[b"events"])
        ]
        return in_sequence(events, after=after)

    async def _write(self, task_id: str) -> None:
        """Append what has gathered, at most every FLUSH_INTERVAL, until nothing is left."""
        failing_since: float | None = None
        loop = asyncio.get_running_loop()
        try:
            while events := tuple(self._unwritten.get(task_id, ())):
                try:
                    await self._write_entry(task_id, events)
                except (RedisError, OSError) as error:
                    failing_since = failing_since or loop.time()
                    if loop.time() - failing_since > RETRY_FOR:
                        logger.warning("Event log of task %s is not in Redis: %s", task_id, error)
                        return
                    await asyncio.sleep(1.0)
                    continue
                failing_since = None
                self._unwritten[task_id] = self._unwritten[task_id][len(events) :]
                await asyncio.sleep(FLUSH_INTERVAL)
        finally:
            self._unwritten.pop(task_id, None)
            del self._writers[task_id]

    async def _write_entry(self, task_id: str, events: Sequence[AgentThought]) -> None:
        key = _key(task_id)
        body = "[" + ",".join(event.as_json() for event in events) + "]"
        try:
            await self._writing.xadd(key, {"events": body}, id=f"{events[-1].seq}-0")
        except ResponseError as error:
            if "equal or smaller" not in str(error):
                raise
        if events[-1].event.is_terminal:
            await self._writing.expire(key, self._ttl)
        elif events[0].seq == 1:
            await self._writing.expire(key, LONGEST_RUN)


def _connect(url: str, *, connections: int, timeout: float) -> Redis:
    """Readers block their connections for seconds: the writer has its own, lest it waits for them."""
    pool = BlockingConnectionPool.from_url(
        url,
        max_connections=connections,
        timeout=timeout,
        socket_connect_timeout=2,
        socket_timeout=timeout,
    )
    return Redis.from_pool(pool)


def _key(task_id: str) -> str:
    return f"quintet:events:{task_id}"


def _seq(entry_id: Any) -> int:
    return int(bytes(entry_id).split(b"-")[0])
