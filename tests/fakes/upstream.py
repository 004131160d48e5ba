"""A scripted OpenAI-compatible server over real HTTP, in a thread of its own.

    with UpstreamServer() as upstream:                    # or the fixture `upstream`
        provider.base_url = upstream.url                  # http://127.0.0.1:<port>/v1
        upstream.script(text("Hello there", chunks=3))    # answers are used first in, first out
        upstream.script(calls(call("current_time"), call("calculator", expression="1+1")))
        upstream.script(failure(429, {"error": {"message": "slow"}}, {"Retry-After": "0"}))
        upstream.script(text("Weather talk"), when=purpose("title"))   # only for requests that match
        upstream.script(gated := gate(text("one two three"), after=2))  # stops after two chunks

Answers (`answers.py`)
- `text`, `calls`, `failure`, `events` (dicts, made into SSE lines), `raw` (bytes as they are).
- An `Answer` is a status, headers and parts, sent one by one: bytes | float (seconds to wait) | `Gate` |
  `CUT` (the connection closes in the middle) | `RESET` (TCP reset) | `HANG` (silence until the client goes).
  The headers go out with the first bytes, so an answer that starts otherwise fails before its headers.
  Parts that run out end the response properly, with or without a [DONE] among them. Answers are added:
  `text("a", done=False) + HANG`.
- Requests whose system prompt asks for a title or a summary, and that no `when` matches, get a fixed answer
  and leave the queue alone. An empty queue answers `upstream.default`.

Gates, so that no test sleeps: the server stops at a gate; `gate.wait_reached()` in the test, then
`gate.release()`. A client that leaves ends the waiting.

What happened: `upstream.requests` are `Exchange`s: `.body` (parsed), `.headers`, `.sent` (monotonic times of
the parts sent), `.sent_after(moment)`, `.is_aborted` (the client closed early), `.wait_ended()`.
GET /v1/models lists `upstream.models`, or answers `upstream.listing`.
`upstream.open_streams` and `upstream.aborted` count. `upstream.wait_for(lambda: …)` waits for any claim about them.
From async tests call the waiting ones with `asyncio.to_thread`.
"""

import asyncio
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.fakes.answers import (
    CUT,
    DONE,
    HANG,
    RESET,
    WAIT,
    Answer,
    Body,
    Ending,
    Gate,
    GatedAnswer,
    Part,
    call,
    calls,
    chunk,
    events,
    failure,
    gate,
    raw,
    slow,
    sse,
    text,
    usage,
)

__all__ = [
    "CUT",
    "DONE",
    "HANG",
    "RESET",
    "Answer",
    "Body",
    "Ending",
    "Gate",
    "GatedAnswer",
    "Part",
    "call",
    "calls",
    "chunk",
    "events",
    "failure",
    "gate",
    "raw",
    "slow",
    "sse",
    "text",
    "usage",
    "Exchange",
    "UpstreamServer",
    "purpose",
    "purpose_of",
    "system_text",
]

Predicate = Callable[[Body], bool]


def system_text(body: Body) -> str:
    """The system prompt of a request."""
    messages = body.get("messages", [])
    said = [m["content"] for m in messages if m.get("role") in {"system", "developer"}]
    return "\n".join(one for one in said if isinstance(one, str))


def purpose_of(body: Body) -> str:
    """`title`, `summary` or `answer`, told from how the system prompt begins."""
    opening = system_text(body)[:200].casefold()
    if body.get("tools") or opening.startswith("# identity"):
        return "answer"
    asked = (name for name, word in (("title", "title"), ("summary", "summar")) if word in opening)
    return next(asked, "answer")


def purpose(name: str) -> Predicate:
    """A `when` for requests of one purpose."""
    return lambda body: purpose_of(body) == name


class Exchange:
    """One request and how its answer went."""

    def __init__(self, path: str, peer: Any, headers: Mapping[str, str], body: Body) -> None:
        self.path = path
        self.peer = peer
        self.headers = dict(headers)
        self.body = body
        self.sent: list[float] = []
        self.is_aborted = False
        self._ended = threading.Event()

    @property
    def is_open(self) -> bool:
        return not self._ended.is_set()

    @property
    def messages(self) -> list[Body]:
        messages: list[Body] = self.body["messages"]
        return messages

    def sent_after(self, moment: float) -> int:
        """How many parts went out after `time.monotonic()` was `moment`."""
        return sum(1 for at in self.sent if at > moment)

    def wait_ended(self, timeout: float = WAIT) -> None:
        assert self._ended.wait(timeout), "the exchange is still open"

    def end(self) -> None:
        self._ended.set()


class UpstreamServer:
    """The server; `with` starts and stops it."""

    def __init__(self, models: Sequence[str] = ("fake-model",)) -> None:
        self.models = list(models)
        self.listing: Answer | None = None
        self.default = text("The default answer.")
        self.auxiliary = {"title": text("A short title"), "summary": text("What was said so far.")}
        self.requests: list[Exchange] = []
        self.url = ""
        self._queue: list[tuple[Predicate | None, Answer]] = []
        self._changed = threading.Condition()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, name="upstream", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        self._runner = asyncio.run_coroutine_threadsafe(self._listen(), self._loop).result(WAIT)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        asyncio.run_coroutine_threadsafe(self._runner.cleanup(), self._loop).result(WAIT)
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(WAIT)
        self._loop.close()

    def script(self, *answers: Answer, when: Predicate | None = None) -> None:
        """Queue answers; with `when` only for requests whose body matches."""
        with self._changed:
            self._queue += [(when, answer) for answer in answers]

    @property
    def open_streams(self) -> int:
        return sum(1 for one in self.requests if one.is_open)

    @property
    def aborted(self) -> int:
        return sum(1 for one in self.requests if one.is_aborted)

    @property
    def bodies(self) -> list[Body]:
        return [one.body for one in self.requests]

    def of_purpose(self, name: str) -> list[Exchange]:
        """The requests of one purpose, oldest first."""
        return [one for one in self.requests if purpose_of(one.body) == name]

    def wait_for(self, claim: Callable[[], object], timeout: float = WAIT) -> None:
        """Return when `claim()` is true; asked again after every request and every end of one."""
        with self._changed:
            assert self._changed.wait_for(lambda: bool(claim()), timeout), "it never came true"

    async def _listen(self) -> web.AppRunner:
        app = web.Application(client_max_size=64 * 1024 * 1024)
        app.router.add_get("/v1/models", self._list_models)
        app.router.add_post("/v1/chat/completions", self._complete)
        runner = web.AppRunner(
            app, handler_cancellation=True, shutdown_timeout=0.1, access_log=None
        )
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        host, port = runner.addresses[0][:2]
        self.url = f"http://{host}:{port}/v1"
        return runner

    async def _list_models(self, request: web.Request) -> web.StreamResponse:
        names = {"object": "list", "data": [{"id": one} for one in self.models]}
        exchange = Exchange(request.path, _peer(request), request.headers, {})
        return await _play(self.listing or failure(200, names), request, exchange)

    async def _complete(self, request: web.Request) -> web.StreamResponse:
        exchange = Exchange(request.path, _peer(request), request.headers, await request.json())
        with self._changed:
            self.requests.append(exchange)
            answer = self._next_answer(exchange.body)
            self._changed.notify_all()
        try:
            return await _play(answer, request, exchange)
        except (asyncio.CancelledError, ConnectionResetError):
            exchange.is_aborted = True
            raise
        finally:
            with self._changed:
                exchange.end()
                self._changed.notify_all()

    def _next_answer(self, body: Body) -> Answer:
        """The first `when` that matches, else the head of the queue, else a default."""
        wanted = purpose_of(body)
        for entry in self._queue:
            if entry[0] and entry[0](body):
                self._queue.remove(entry)
                return entry[1]
        if wanted in self.auxiliary:
            return self.auxiliary[wanted]
        plain = [entry for entry in self._queue if not entry[0]][:1]
        for entry in plain:
            self._queue.remove(entry)
        return plain[0][1] if plain else self.default


async def _play(answer: Answer, request: web.Request, exchange: Exchange) -> web.StreamResponse:
    headers = {"Content-Type": answer.content_type, **answer.headers}
    response = web.StreamResponse(status=answer.status, headers=headers)
    if not answer.parts or isinstance(answer.parts[0], bytes):
        await response.prepare(request)
    for part in answer.parts:
        if isinstance(part, Ending):
            await _go_wrong(part, request)
            return response
        if isinstance(part, bytes) and not response.prepared:
            await response.prepare(request)
        await _send(part, response, exchange)
    await response.write_eof()
    return response


async def _send(
    part: bytes | float | Gate, response: web.StreamResponse, exchange: Exchange
) -> None:
    match part:
        case bytes():
            await response.write(part)
            exchange.sent.append(time.monotonic())
        case Gate():
            await part.passed()
        case _:
            await asyncio.sleep(part)


async def _go_wrong(ending: Ending, request: web.Request) -> None:
    transport = request.transport
    assert transport is not None
    if ending is HANG:
        await asyncio.Event().wait()
    if ending is RESET:
        connection: socket.socket = transport.get_extra_info("socket")
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        transport.abort()
    transport.close()


def _peer(request: web.Request) -> Any:
    """The client's end of the connection: equal for requests that came over one."""
    return request.transport and request.transport.get_extra_info("peername")
