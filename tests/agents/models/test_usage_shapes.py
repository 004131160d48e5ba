"""Token counts, in the shapes in which services report them."""

import pytest

from agents.models.inference import Confidence
from tests.agents.models.asking import ask
from tests.fakes.upstream import (
    Answer,
    UpstreamServer,
    chunk,
    events,
    usage,
)

STOP = chunk(finish="stop")

USAGE_SHAPES: dict[str, tuple[Answer, tuple[int, int, int, int]]] = {
    "4 own chunk": (
        events(
            chunk({"content": "Hi"}),
            STOP,
            usage(
                9,
                4,
                prompt_tokens_details={"cached_tokens": 5},
                completion_tokens_details={"reasoning_tokens": 2},
            ),
        ),
        (9, 4, 5, 2),
    ),
    "5 cumulative on every chunk": (
        events(
            chunk({"content": "H"}, usage=usage(9, 1)["usage"]),
            chunk({"content": "i"}, usage=usage(9, 2)["usage"]),
            chunk(finish="stop", usage=usage(9, 4)["usage"]),
        ),
        (9, 4, 0, 0),
    ),
    "6 inside the choice": (
        events(
            {
                "choices": [
                    {
                        "index": 0,
                        "delta": {"content": "Hi"},
                        "finish_reason": "stop",
                        "usage": usage(9, 4, cached_tokens=3)["usage"],
                    }
                ]
            }
        ),
        (9, 4, 3, 0),
    ),
    "7 empty after the real one": (
        events(
            chunk({"content": "Hi"}, usage=usage(9, 4)["usage"]),
            chunk(finish="stop", usage={}),
            usage(0, 0),
            {"choices": [], "usage": None},
        ),
        (9, 4, 0, 0),
    ),
    "7 null details": (
        events(
            chunk({"content": "Hi"}),
            STOP,
            usage(
                9,
                4,
                prompt_tokens_details=None,
                completion_tokens_details={"reasoning_tokens": None},
            ),
        ),
        (9, 4, 0, 0),
    ),
    "7 counts that are none": (
        events(chunk({"content": "Hi"}), STOP, usage(9, 4), usage(-1, True, cached_tokens="x")),
        (9, 4, 0, 0),
    ),
    "DeepSeek cache hits": (
        events(chunk({"content": "Hi"}), STOP, usage(9, 4, prompt_cache_hit_tokens=6)),
        (9, 4, 6, 0),
    ),
}


@pytest.mark.parametrize(("answer", "counts"), USAGE_SHAPES.values(), ids=USAGE_SHAPES)
async def test_usage_is_the_last_report_that_says_something(
    upstream: UpstreamServer, answer: Answer, counts: tuple[int, int, int, int]
) -> None:
    upstream.script(answer)
    used = (await ask(upstream.url)).inference.usage
    found = (used.input_tokens, used.output_tokens, used.cached_tokens, used.reasoning_tokens)
    assert found == counts
    assert used.confidence is Confidence.EXACT


async def test_missing_usage_is_estimated_and_says_so(upstream: UpstreamServer) -> None:
    upstream.script(events(chunk({"content": "Hello there, how are you?"}), STOP))
    used = (await ask(upstream.url)).inference.usage
    assert used.confidence is Confidence.ESTIMATED
    assert used.input_tokens > 0
    assert used.output_tokens > 3
