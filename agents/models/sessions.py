"""The connections to model services: one pool per event loop, shared by all runs of it."""

import asyncio
from weakref import WeakKeyDictionary

import aiohttp

_sessions: "WeakKeyDictionary[asyncio.AbstractEventLoop, aiohttp.ClientSession]" = (
    WeakKeyDictionary()
)
KEEP_ALIVE = 30.0


def shared_session() -> aiohttp.ClientSession:
    """The session of the running loop. It keeps no cookies and has no limits of its own: calls set theirs."""
    loop = asyncio.get_running_loop()
    session = _sessions.get(loop)
    if session is None or session.closed:
        session = _sessions[loop] = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, keepalive_timeout=KEEP_ALIVE),
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=aiohttp.ClientTimeout(total=None),
            headers={"User-Agent": "quintet", "Accept-Encoding": "identity"},
            auto_decompress=True,
        )
    return session


async def close_sessions() -> None:
    """Close the running loop's session, if it has one."""
    session = _sessions.pop(asyncio.get_running_loop(), None)
    if session is not None:
        await session.close()
