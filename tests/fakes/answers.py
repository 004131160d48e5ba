"""What a scripted model service can be told to answer; `upstream.py` says how it is used."""

import asyncio
import json
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Any

Body = dict[str, Any]
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


def _pieces(content: str, count: int) -> list[str]:
    """`content` in at most `count` pieces of about one length."""
    size = max(1, -(-len(content) // max(1, count)))
    return [content[start : start + size] for start in range(0, len(content), size)]
