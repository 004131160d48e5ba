"""The one long-lived event loop of a Celery worker process: runs and their model clients belong to it."""

import asyncio
import threading
from functools import cache

from celery.signals import worker_shutdown, worker_shutting_down
from django.conf import settings

from agents.models.sessions import close_sessions
from apps.runs.home import get_home
from apps.runs.housekeeping import begin_housekeeping, end_housekeeping

LAST_WORDS = 10.0


def run_on_worker_loop(task_id: str) -> None:
    """Execute a run on the loop, from a worker thread, and return when its end can be read everywhere."""
    asyncio.run_coroutine_threadsafe(_run(task_id), _loop()).result()


def end_worker_loop(**_signal: object) -> None:
    """After the last run: let go of everything that belongs to the loop, and of the loop."""
    if _has_begun():
        loop = _loop()
        asyncio.run_coroutine_threadsafe(_end(), loop).result(LAST_WORDS)
        loop.call_soon_threadsafe(loop.stop)
        _loop.cache_clear()


async def _run(task_id: str) -> None:
    begin_housekeeping()
    home = get_home()
    home.start(task_id)
    await asyncio.sleep(0)
    await home.finished(task_id)
    await home.log.flush(task_id)


async def _end() -> None:
    await get_home().drain(0)
    await end_housekeeping()
    await close_sessions()


def _drain(**_signal: object) -> None:
    """A worker that is told to end takes no new runs and lets the others finish for RUN_DRAIN seconds.

    Celery waits for its tasks meanwhile. It may be told several times.
    """
    if _has_begun() and not get_home().is_draining:
        asyncio.run_coroutine_threadsafe(get_home().drain(settings.RUN_DRAIN), _loop())


def _has_begun() -> bool:
    return _loop.cache_info().currsize > 0


worker_shutting_down.connect(_drain)
worker_shutdown.connect(end_worker_loop)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="runs", daemon=True).start()
    return loop
