"""How async code touches the database: one bounded executor, a connection given back after every hop.

Django's async ORM and `sync_to_async` would run everything in one shared thread or take a thread per call; here
a hop is one function call in one of a few threads, and nothing is held while a model or a tool is awaited.
"""

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import cache, partial
from typing import ParamSpec, TypeVar

from django.conf import settings
from django.db import connection, connections

P = ParamSpec("P")
T = TypeVar("T")

THREADS = 8


async def in_database(function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Call a synchronous function that uses the ORM, off the event loop, in the caller's context (language)."""
    call = partial(copy_context().run, _hop, partial(function, *args, **kwargs))
    return await asyncio.get_running_loop().run_in_executor(_executor(), call)


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
        if connection.vendor == "postgresql" or not connection.is_usable():
            connections.close_all()


def _threads() -> int:
    """SQLite has one writer: more threads would only wait for each other."""
    return 1 if settings.DATABASES["default"]["ENGINE"].endswith("sqlite3") else THREADS


@cache
def _executor() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(max_workers=_threads(), thread_name_prefix="database")
