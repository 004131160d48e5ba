"""Failures, in the shapes in which services tell them."""

import pytest

from agents.models.inference import ModelCallError
from tests.agents.models.asking import ask
from tests.fakes.upstream import (
    DONE,
    Answer,
    UpstreamServer,
    chunk,
    events,
    failure,
    raw,
    sse,
)

STOP = chunk(finish="stop")

FAILURE_SHAPES: dict[str, tuple[Answer, str, str]] = {
    "21 ends without finish reason": (
        events(chunk({"content": "Hel"}), done=False),
        "upstream_truncated",
        "broke off",
    ),
    "21 [DONE] without finish reason": (
        events(chunk({"content": "Hel"})),
        "upstream_truncated",
        "broke off",
    ),
    "21 cut inside JSON": (
        raw(sse(chunk({"content": "Hel"})), b'data: {"choices": [{"del'),
        "upstream_truncated",
        "broke off",
    ),
    "24 empty body": (raw(), "upstream_truncated", "broke off"),
    "24 only [DONE]": (raw(DONE), "upstream_truncated", "broke off"),
    "24 page with status 200": (
        raw(b"<html><title>Log in</title><body>x</body></html>", content_type="text/html"),
        "malformed_stream",
        "Log in",
    ),
    "bad JSON in a whole line": (
        raw(b"data: {oops}\n\n", sse(STOP)),
        "malformed_stream",
        "{oops}",
    ),
    "line without end": (
        raw(b"data: " + b"x" * 20_000_000),
        "malformed_stream",
        "bytes",
    ),
    "23 error first": (
        events({"error": {"message": "overloaded", "type": "overloaded_error"}}),
        "upstream_error",
        "overloaded",
    ),
    "23 error in the middle": (
        events(chunk({"content": "Hel"}), {"error": {"message": "slow down", "code": 429}}),
        "rate_limited",
        "slow down",
    ),
    "23 vLLM error in a stream": (
        events({"object": "error", "message": "bad input", "code": 400}),
        "bad_request",
        "bad input",
    ),
    "error in a JSON body with status 200": (
        raw(b'{"error": "no such thing"}', content_type="application/json"),
        "upstream_error",
        "no such thing",
    ),
    "25 HTML 502": (
        failure(502, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>"),
        "upstream_error",
        "502 Bad Gateway",
    ),
    "25 string error": (failure(500, {"error": "it broke"}), "upstream_error", "it broke"),
    "25 detail": (failure(400, {"detail": "no field x"}), "bad_request", "no field x"),
    "25 detail list": (
        failure(422, {"detail": [{"loc": ["body"], "msg": "field required"}]}),
        "bad_request",
        "field required",
    ),
    "25 vLLM shape": (
        failure(404, {"object": "error", "message": "The model `x` does not exist.", "code": 404}),
        "model_not_found",
        "does not exist",
    ),
    "25 Gemini list": (
        failure(400, [{"error": {"code": 400, "message": "API key not valid"}}]),  # type: ignore[arg-type]
        "bad_request",
        "API key not valid",
    ),
    "empty error body": (failure(503), "upstream_error", "no explanation"),
    "wrong key": (
        failure(401, {"error": {"message": "Incorrect API key"}}),
        "authentication_failed",
        "Incorrect API key",
    ),
    "too long": (
        failure(
            400,
            {"error": {"message": "too long", "type": "x", "code": "context_length_exceeded"}},
        ),
        "context_too_long",
        "too long",
    ),
    "redirect": (failure(302, "", {"Location": "http://127.0.0.1:9/"}), "upstream_error", "302"),
}


@pytest.mark.parametrize(("answer", "code", "words"), FAILURE_SHAPES.values(), ids=FAILURE_SHAPES)
async def test_failures_have_a_code_and_the_services_own_words(
    upstream: UpstreamServer, answer: Answer, code: str, words: str
) -> None:
    upstream.script(answer)
    with pytest.raises(ModelCallError) as caught:
        await ask(upstream.url)
    assert caught.value.code == code
    assert words in caught.value.message
