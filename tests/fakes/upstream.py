"""A scripted OpenAI-compatible server over real HTTP, in a thread of its own.

    with UpstreamServer() as upstream:                    # or the fixture `upstream`
        provider.base_url = upstream.url                  # http://127.0.0.1:<port>/v1
        upstream.script(text("Hello there", chunks=3))    # answers are used first in, first out
        upstream.script(calls(call("current_time"), call("calculator", expression="1+1")))
        upstream.script(failure(429, {"error": {"message": "slow"}}, {"Retry-After": "0"}))
        upstream.script(text("Weather talk"), when=purpose("title"))   # only for requests that match
        upstream.script(gated := gate(text("one two three"), after=2))  # stops after two chunks

Answers
- `text`, `calls`, `failure`, `events` (dicts, made into SSE lines), `raw` (bytes as they are).
- An `Answer` is a status, headers and parts, sent one by one: bytes | float (seconds to wait) | `Gate` |
  `CUT` (the connection closes in the middle) | `RESET` (TCP reset) | `HANG` (silence until the client goes).
  The headers go out with the first bytes, so an answer that starts otherwise fails before its headers.
  Parts that run out end the response properly, with or without a [DONE] among them. Answers are added:
  `text("a", done=False) + HANG`.
- Requests whose system prompt asks for a title or a summary, and that no `when` matches, get a fixed answer
  and leave the queue alone. An empty queue answers `upstream.default`.

Gates, so that no test sleeps: the server stops at a gate; `gate.wait_reached()` in the test, then
`gate.release()`. A gate wakes also when the client has gone.

What happened: `upstream.requests` are `Exchange`s: `.body` (parsed), `.headers`, `.sent` (monotonic times of
the parts sent), `.sent_after(moment)`, `.is_aborted` (the client closed early), `.wait_ended()`.
GET /v1/models lists `upstream.models`, or answers `upstream.listing`.
`upstream.open_streams` and `upstream.aborted` count. `upstream.wait_for(lambda: …)` waits for any claim about them.
From async tests call the waiting ones with `asyncio.to_thread`.
"""

import asyncio
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum
from types import TracebackType
from typing import Any, Self

from aiohttp import web

Body = dict[str, Any]
Predicate = Callable[[Body], bool]
WAIT = 10.0


class Ending(Enum):
    """How an answer goes wrong on the wire."""

    CUT = "cut"
    RESET = "reset"
    HANG = "hang"


CUT, RESET, HANG = Ending.CUT, Ending.RESET, Ending.HANG


class Gate:
    """A place where the server waits until the test releases it."""

    def __init__(self) -> None:
        self._reached = threading.Event()
        self._lock = threading.Lock()
        self._is_released = False
        self._wakers: list[Callable[[], object]] = []

    def wait_reached(self, timeout: float = WAIT) -> None:
        assert self._reached.wait(timeout), "the upstream never came to this gate"

    def release(self) -> None:
        with self._lock:
            self._is_released = True
            for wake in self._wakers:
                wake()

    async def passed(self) -> None:
        """Server side: returns after the release."""
        loop, woken = asyncio.get_running_loop(), asyncio.Event()
        with self._lock:
            if self._is_released:
                woken.set()
            self._wakers.append(lambda: loop.call_soon_threadsafe(woken.set))
        self._reached.set()
        await woken.wait()


Part = bytes | float | Gate | Ending


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One scripted response."""

    parts: tuple[Part, ...] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    content_type: str = "text/event-stream"

    def __add__(self, part: Part) -> "Answer":
        return replace(self, parts=(*self.parts, part))


def sse(event: Body | str) -> bytes:
    """One SSE data line with its blank line."""
    payload = event if isinstance(event, str) else json.dumps(event, ensure_ascii=False)
    return f"data: {payload}\n\n".encode()


DONE = sse("[DONE]")


def chunk(delta: Body | None = None, *, finish: str | None = None, **extra: Any) -> Body:
    """One completion chunk with one choice; `extra` goes beside `choices`."""
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return {"id": "chatcmpl-1", "object": "chat.completion.chunk", "choices": [choice], **extra}


def usage(input_tokens: int, output_tokens: int, **details: Any) -> Body:
    """The last chunk that only counts tokens."""
    counts = {
        "prompt_tokens": input_tokens,
        "completion_tokens": output_tokens,
        "total_tokens": input_tokens + output_tokens,
    }
    return {"id": "chatcmpl-1", "choices": [], "usage": counts | details}


def events(*chunks: Body, done: bool = True) -> Answer:
    """Chunks as they stand, one part each."""
    parts = tuple(sse(one) for one in chunks)
    return Answer(parts=(*parts, DONE) if done else parts)


def text(
    content: str,
    *,
    chunks: int = 1,
    delay: float = 0.0,
    reasoning: str = "",
    finish: str | None = "stop",
    done: bool = True,
) -> Answer:
    """An answer cut into `chunks` pieces, with `delay` seconds before each; usage 10 in, 5 out."""
    deltas: list[Body] = [{"role": "assistant", "content": ""}]
    deltas += [{"reasoning_content": piece} for piece in _pieces(reasoning, chunks)]
    deltas += [{"content": piece} for piece in _pieces(content, chunks)]
    closing = [chunk(finish=finish)] if finish else []
    answer = events(*map(chunk, deltas), *closing, usage(10, 5), done=done)
    return slow(answer, delay) if delay else answer


def call(name: str, call_id: str = "", /, **arguments: Any) -> Body:
    """A tool call for `calls`."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    return {"id": call_id or f"call_{name}", "type": "function", "function": function}


def calls(*tool_calls: Body, content: str = "", finish: str = "tool_calls") -> Answer:
    """Text if any, then tool calls, one chunk each; usage 10 in, 5 out."""
    said = [chunk({"content": content})] if content else []
    asked = [chunk({"tool_calls": [{"index": i} | one]}) for i, one in enumerate(tool_calls)]
    return events(*said, *asked, chunk(finish=finish), usage(10, 5))


def failure(status: int, body: Body | str = "", headers: Mapping[str, str] | None = None) -> Answer:
    """An HTTP error; a dict is sent as JSON, a string as HTML."""
    is_json = not isinstance(body, str)
    content = json.dumps(body) if is_json else str(body)
    kind = "application/json" if is_json else "text/html"
    parts: tuple[Part, ...] = (content.encode(),)
    return Answer(status=status, parts=parts, headers=headers or {}, content_type=kind)


def raw(*parts: Part, content_type: str = "text/event-stream") -> Answer:
    """Bytes exactly as they are."""
    return Answer(parts=parts, content_type=content_type)


def slow(answer: Answer, delay: float) -> Answer:
    """The same answer with `delay` seconds before each part."""
    parts = tuple(one for part in answer.parts for one in (delay, part))
    return replace(answer, parts=parts)


@dataclass(frozen=True, kw_only=True)
class GatedAnswer(Answer):
    """An answer that stops at `gate`."""

    gate: Gate

    def wait_reached(self, timeout: float = WAIT) -> None:
        self.gate.wait_reached(timeout)

    def release(self) -> None:
        self.gate.release()


def gate(answer: Answer, *, after: int) -> GatedAnswer:
    """The same answer, stopping after `after` parts (the first part of `text` only names the role)."""
    stop = Gate()
    parts = (*answer.parts[:after], stop, *answer.parts[after:])
    return GatedAnswer(
        parts=parts,
        status=answer.status,
        headers=answer.headers,
        content_type=answer.content_type,
        gate=stop,
    )


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


def _pieces(content: str, count: int) -> list[str]:
    """`content` in at most `count` pieces of about one length."""
    size = max(1, -(-len(content) // max(1, count)))
    return [content[start : start + size] for start in range(0, len(content), size)]


def _peer(request: web.Request) -> Any:
    """The client's end of the connection: equal for requests that came over one."""
    return request.transport and request.transport.get_extra_info("peername")
