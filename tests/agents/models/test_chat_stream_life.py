"""The life of one streaming call: timeouts, broken connections, closing early, secrets."""

import asyncio
import threading
import time
from contextlib import aclosing
from dataclasses import replace

import pytest

from agents.models.inference import ModelCallError, TextDelta
from agents.models.openai_compatible import OpenAICompatibleClient
from agents.models.sessions import close_sessions
from agents.outcome import FinishReason
from tests.agents.models.asking import QUESTION, SECRET, SPEC, ask
from tests.fakes.upstream import (
    CUT,
    HANG,
    RESET,
    Answer,
    Ending,
    UpstreamServer,
    chunk,
    events,
    failure,
    gate,
    raw,
    slow,
    sse,
    text,
)

BEGUN = events(chunk({"content": "Hel"}), done=False)


async def fail(url: str, **changes: float) -> ModelCallError:
    with pytest.raises(ModelCallError) as caught:
        await ask(url, **changes)
    return caught.value


@pytest.mark.parametrize(
    "answer",
    [
        raw(HANG),
        raw(b": waiting\n\n", HANG),
        events(chunk({"role": "assistant"}), done=False) + HANG,
    ],
    ids=["before the headers", "after a comment", "after the role"],
)
async def test_a_service_that_does_not_begin_times_out(
    upstream: UpstreamServer, answer: Answer
) -> None:
    upstream.script(answer)
    async with asyncio.timeout(5):
        error = await fail(upstream.url, first_token_timeout=0.1)
    assert error.code == "model_timeout"
    assert "0.1 s" in error.message
    await asyncio.to_thread(upstream.wait_for, lambda: upstream.open_streams == 0)


async def test_silence_in_the_middle_times_out(upstream: UpstreamServer) -> None:
    upstream.script(BEGUN + HANG)
    error = await fail(upstream.url, idle_timeout=0.1)
    assert error.code == "model_timeout"
    assert "in the middle" in error.message


async def test_silence_after_the_finish_reason_is_the_end(upstream: UpstreamServer) -> None:
    upstream.script(events(chunk({"content": "Hi"}, finish="stop"), done=False) + HANG)
    heard = await ask(upstream.url, idle_timeout=0.1)
    assert heard.text == "Hi"
    assert heard.inference.finish_reason is FinishReason.STOP


async def test_comments_are_no_sign_of_an_answer(upstream: UpstreamServer) -> None:
    comments = slow(raw(*[b": waiting\n\n"] * 200), 0.02)
    upstream.script(Answer(parts=(*BEGUN.parts, *comments.parts)))
    assert (await fail(upstream.url, idle_timeout=0.2)).code == "model_timeout"


async def test_a_slow_reader_is_not_the_services_silence(upstream: UpstreamServer) -> None:
    answer = gate(text("one two", chunks=2), after=2)
    upstream.script(answer)
    client = OpenAICompatibleClient(replace(SPEC, base_url=upstream.url, idle_timeout=0.5))
    async with aclosing(client.stream(QUESTION)) as stream:
        assert isinstance(await anext(stream), TextDelta)
        await asyncio.sleep(0.6)
        threading.Timer(0.05, answer.release).start()
        assert isinstance(await anext(stream), TextDelta)
    await close_sessions()


async def test_a_service_that_is_not_there_may_be_asked_again() -> None:
    error = await fail("http://127.0.0.1:9/v1")
    assert error.code == "connection_failed"
    assert error.is_retryable


async def test_a_reset_before_the_headers_is_a_failed_connection(upstream: UpstreamServer) -> None:
    upstream.script(raw(RESET))
    error = await fail(upstream.url)
    assert error.code == "connection_failed"
    assert error.is_retryable


@pytest.mark.parametrize("ending", [CUT, RESET], ids=["cut", "reset"])
async def test_a_connection_lost_in_the_middle_is_a_truncated_answer(
    upstream: UpstreamServer, ending: Ending
) -> None:
    upstream.script(BEGUN + ending)
    assert (await fail(upstream.url)).code == "upstream_truncated"


async def test_leaving_the_iterator_closes_the_connection(upstream: UpstreamServer) -> None:
    answer = gate(text("one two three", chunks=3), after=2)
    upstream.script(answer)
    client = OpenAICompatibleClient(replace(SPEC, base_url=upstream.url))
    async with aclosing(client.stream(QUESTION)) as stream:
        assert isinstance(await anext(stream), TextDelta)
        left = time.monotonic()
    await asyncio.to_thread(upstream.requests[0].wait_ended)
    assert upstream.requests[0].is_aborted
    assert upstream.requests[0].sent_after(left) == 0
    await close_sessions()


async def test_cancelling_the_reader_closes_the_connection(upstream: UpstreamServer) -> None:
    answer = gate(text("one two three", chunks=3), after=2)
    upstream.script(answer)
    reader = asyncio.create_task(ask(upstream.url))
    await asyncio.to_thread(answer.wait_reached)
    reader.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reader
    await asyncio.to_thread(upstream.requests[0].wait_ended)
    assert upstream.aborted == 1


async def test_a_finished_answer_leaves_its_connection_for_the_next(
    upstream: UpstreamServer,
) -> None:
    client = OpenAICompatibleClient(replace(SPEC, base_url=upstream.url))
    for _ in range(3):
        async with aclosing(client.stream(QUESTION)) as stream:
            assert [item async for item in stream]
    assert len({one.peer for one in upstream.requests}) == 1
    await close_sessions()


async def test_the_key_is_sent_and_never_told(upstream: UpstreamServer) -> None:
    echo = (
        f"Incorrect API key provided: {SECRET}. Header was x-team: t0ps3cret, sk-another0123456789"
    )
    upstream.script(failure(401, {"error": {"message": echo}}))
    with pytest.raises(ModelCallError) as caught:
        await ask(upstream.url, extra_headers={"x-team": "t0ps3cret"})
    headers = upstream.requests[0].headers
    assert headers["Authorization"] == f"Bearer {SECRET}"
    assert headers["x-team"] == "t0ps3cret"
    assert "Incorrect API key provided" in caught.value.message
    for secret in (SECRET, "t0ps3cret", "sk-another"):
        assert secret not in caught.value.message


@pytest.mark.parametrize(
    "answer",
    [
        events({"error": {"message": f"key {SECRET}"}}),
        raw(f"<title>{SECRET}</title>".encode(), content_type="text/html"),
        raw(sse(f"{{{SECRET}")),
        failure(500, f"<p>{SECRET}</p>"),
    ],
    ids=["event", "page", "garbage", "HTML error"],
)
async def test_no_error_tells_the_key(upstream: UpstreamServer, answer: Answer) -> None:
    upstream.script(answer)
    with pytest.raises(ModelCallError) as caught:
        await ask(upstream.url)
    assert SECRET not in caught.value.message
    assert "[redacted]" in caught.value.message


async def test_a_provider_without_address_says_what_to_do() -> None:
    error = await fail("")
    assert error.code == "connection_failed"
    assert "base URL" in error.message
