"""When a failed call is tried again."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass, replace

import pytest

from agents.models.inference import (
    Delta,
    Inference,
    InferenceRequest,
    ModelCallError,
    ModelSpec,
    TextDelta,
)
from agents.models.openai_compatible import OpenAICompatibleClient
from agents.models.retry import stream_with_retries
from agents.models.sessions import close_sessions
from tests.agents.models.asking import QUESTION, SPEC
from tests.fakes.upstream import Answer, UpstreamServer, chunk, events, failure, raw, text

AT_ONCE = {"Retry-After": "0"}
BUSY = failure(429, {"error": {"message": "slow down"}}, AT_ONCE)


async def try_all(upstream: UpstreamServer, *answers: Answer) -> tuple[list[str], Sequence[str]]:
    """The texts that came, and what `on_retry` heard."""
    upstream.script(*answers)
    client = OpenAICompatibleClient(replace(SPEC, base_url=upstream.url))
    texts: list[str] = []
    heard: list[str] = []
    retries = stream_with_retries(
        client, QUESTION, on_retry=lambda error, attempt: heard.append(f"{attempt} {error.code}")
    )
    try:
        async for item in retries:
            match item:
                case TextDelta(text=piece):
                    texts.append(piece)
                case Inference():
                    texts.append(f"={item.text}")
    except ModelCallError as error:
        texts.append(f"!{error.code}")
    finally:
        await close_sessions()
    return texts, heard


@pytest.mark.parametrize(
    ("first", "code"),
    [
        (BUSY, "rate_limited"),
        (failure(408, "", AT_ONCE), "upstream_error"),
        (failure(409, "", AT_ONCE), "upstream_error"),
        (failure(500, "", AT_ONCE), "upstream_error"),
        (failure(503, "", {"retry-after-ms": "1"}), "upstream_error"),
        (failure(503, "", {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}), "upstream_error"),
    ],
    ids=["429", "408", "409", "500", "503 in milliseconds", "503 with a date"],
)
async def test_a_passing_failure_is_tried_again(
    upstream: UpstreamServer, first: Answer, code: str
) -> None:
    texts, heard = await try_all(upstream, first, text("Hello"))
    assert texts == ["Hello", "=Hello"]
    assert heard == [f"1 {code}"]


async def test_an_answer_that_ends_before_it_begins_is_tried_again(
    upstream: UpstreamServer,
) -> None:
    texts, heard = await try_all(upstream, raw(), text("Hello"))
    assert texts == ["Hello", "=Hello"]
    assert heard == ["1 upstream_truncated"]


async def test_three_tries_are_all(upstream: UpstreamServer) -> None:
    texts, heard = await try_all(upstream, BUSY, BUSY, BUSY, text("too late"))
    assert texts == ["!rate_limited"]
    assert heard == ["1 rate_limited", "2 rate_limited"]
    assert len(upstream.requests) == 3


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        (failure(400, {"error": "bad"}, AT_ONCE), "bad_request"),
        (failure(401, "", AT_ONCE), "authentication_failed"),
        (failure(404, "", AT_ONCE), "model_not_found"),
        (failure(429, {"error": {"code": "insufficient_quota"}}, AT_ONCE), "rate_limited"),
        (failure(429, "", {"Retry-After": "31"}), "rate_limited"),
    ],
    ids=["400", "401", "404", "quota used up", "longer than we wait"],
)
async def test_a_lasting_failure_is_not_tried_again(
    upstream: UpstreamServer, answer: Answer, code: str
) -> None:
    texts, heard = await try_all(upstream, answer, text("never"))
    assert texts == [f"!{code}"]
    assert heard == []
    assert len(upstream.requests) == 1


async def test_nothing_is_tried_again_after_the_first_token(upstream: UpstreamServer) -> None:
    broken = events(chunk({"content": "Hel"}), done=False)
    texts, heard = await try_all(upstream, broken, text("never"))
    assert texts == ["Hel", "!upstream_truncated"]
    assert heard == []
    assert len(upstream.requests) == 1


@dataclass
class Forgetful:
    """A client that breaks its promise: it ends without an inference."""

    spec: ModelSpec
    pieces: Sequence[str]

    async def stream(self, _request: InferenceRequest) -> AsyncGenerator[Delta | Inference, None]:
        for piece in self.pieces:
            yield TextDelta(piece)


@pytest.mark.parametrize("pieces", [[], ["Hel", "lo"]], ids=["nothing", "some text"])
async def test_a_client_that_ends_without_an_inference_has_failed(pieces: Sequence[str]) -> None:
    stream = stream_with_retries(Forgetful(SPEC, pieces), QUESTION, on_retry=lambda *_: None)
    texts: list[str] = []
    with pytest.raises(ModelCallError) as caught:
        texts += [item.text async for item in stream if isinstance(item, TextDelta)]
    assert caught.value.code == "malformed_stream"
