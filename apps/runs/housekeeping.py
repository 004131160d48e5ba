"""What a process that executes runs does beside them: heartbeat, reaper, listening for stops."""

import asyncio
import logging
from collections.abc import Awaitable, Callable

from django.conf import settings
from django.db import Error as DatabaseError
from redis.asyncio import Redis
from redis.exceptions import RedisError

from apps.runs.heartbeat import beat
from apps.runs.home import RunHome, get_home
from apps.runs.reaper import reap
from apps.runs.stop import STOP_CHANNEL

logger = logging.getLogger(__name__)

LAST_WORDS = 2.0

_keepers: dict[asyncio.AbstractEventLoop, list[asyncio.Task[None]]] = {}


def begin_housekeeping() -> None:
    """Bind this process's home to the running loop and start its duties; once per loop."""
    loop = asyncio.get_running_loop()
    if loop in _keepers:
        return
    home = get_home()
    home.bind(loop)
    duties = [
        loop.create_task(_repeat(beat, home), name="heartbeat"),
        loop.create_task(_repeat(reap, home), name="reaper"),
    ]
    if settings.REDIS_URL:
        duties.append(loop.create_task(_listen_for_stops(home), name="stop listener"))
    _keepers[loop] = duties


async def end_housekeeping() -> None:
    """Stop the duties of the running loop; a connection that is just being made may miss its cancellation."""
    duties = _keepers.pop(asyncio.get_running_loop(), [])
    for task in duties:
        task.cancel()
    if duties:
        await asyncio.wait(duties, timeout=LAST_WORDS)


async def _repeat(duty: Callable[[RunHome], Awaitable[None]], home: RunHome) -> None:
    """This duty's edge: whatever goes wrong once is logged, and tried again."""
    while True:
        try:
            await duty(home)
        except DatabaseError as error:
            logger.warning("%s failed, the database does not answer: %s", duty.__name__, error)
        except Exception:
            logger.exception("%s failed", duty.__name__)
        await asyncio.sleep(settings.RUN_HEARTBEAT)


async def _listen_for_stops(home: RunHome) -> None:
    while True:
        try:
            async with Redis.from_url(settings.REDIS_URL) as redis, redis.pubsub() as channel:
                await channel.subscribe(STOP_CHANNEL)
                async for announcement in channel.listen():
                    if announcement["type"] == "message":
                        home.stop(announcement["data"].decode(errors="replace"))
        except (RedisError, OSError) as error:
            logger.warning("Stops are not heard from Redis (%s); the rows still tell them.", error)
            await asyncio.sleep(1.0)
