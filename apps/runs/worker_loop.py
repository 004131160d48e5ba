"""The one long-lived event loop of a Celery worker process: runs and their model clients belong to it."""

import asyncio
import threading
from functools import cache

from celery.signals import worker_shutting_down
from django.conf import settings

from apps.runs.home import get_home
from apps.runs.housekeeping import begin_housekeeping


def run_on_worker_loop(task_id: str) -> None:
    """Execute a run on the loop, from a worker thread, and return at its end."""
    asyncio.run_coroutine_threadsafe(_run(task_id), _loop()).result()


async def _run(task_id: str) -> None:
    begin_housekeeping()
    home = get_home()
    home.start(task_id)
    await asyncio.sleep(0)
    await home.finished(task_id)


def _drain(**_signal: object) -> None:
    """A worker that is told to end takes no new runs and lets the others finish for RUN_DRAIN seconds."""
    if _loop.cache_info().currsize:
        asyncio.run_coroutine_threadsafe(get_home().drain(settings.RUN_DRAIN), _loop())


worker_shutting_down.connect(_drain)


@cache
def _loop() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="runs", daemon=True).start()
    return loop
