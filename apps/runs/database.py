"""How async code touches the database: one bounded executor, a connection given back after every hop.

Django's async ORM and `sync_to_async` would run everything in one shared thread or take a thread per call; here
a hop is one function call in one of a few threads, and nothing is held while a model or a tool is awaited.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import Any, ParamSpec, TypeVar

from django.conf import settings
from django.db import InterfaceError, OperationalError, connection, connections

P = ParamSpec("P")
T = TypeVar("T")

logger = logging.getLogger(__name__)

THREADS = 8
PATIENCE = 20.0


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a synchronous function that uses the ORM, off the event loop, in the caller's context (language)."""
    call = partial(copy_context().run, _hop, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_executor(), call)


async def persist(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """As `in_database`, to the end: a lost connection or a locked database is tried again for 20 s, and a
    cancellation of the caller waits until the function is done. Raises what the function raises in the end.
    """
    return await _to_the_end(_with_patience(partial(function, *args, **kwargs)))


async def _with_patience(call: Callable[[], T]) -> T:
    loop = asyncio.get_running_loop()
    deadline, pause = loop.time() + PATIENCE, 0.1
    while True:
        try:
            return await in_database(call)
        except (OperationalError, InterfaceError) as error:
            if loop.time() + pause > deadline:
                raise
            logger.warning("The database does not take a write (%s); trying again.", error)
        await asyncio.sleep(pause)
        pause = min(2 * pause, 2.0)


async def _to_the_end(work: Coroutine[Any, Any, T]) -> T:
    task = asyncio.ensure_future(work)
    cancelled: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait([task])
        except asyncio.CancelledError as error:
            cancelled = error
    if cancelled is not None and task.exception() is None:
        raise cancelled
    return task.result()


def close_connections() -> None:
    """Close the connections that the executor's threads hold, and end the threads."""
    executor = _executor()
    for _ in range(_threads()):
        executor.submit(connections.close_all)
    executor.shutdown(wait=True)
    _executor.cache_clear()


def _hop(call: Callable[[], T]) -> T:
    try:
        return call()
    finally:
        if connection.vendor == "postgresql":
            connections.close_all()


def _threads() -> int:
    """SQLite has one writer: more threads would only wait for each other."""
    return 1 if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") else THREADS


@cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=_threads(), thread_name_prefix="database")
