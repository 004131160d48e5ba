"""Reasoning, in the shapes in which services stream it."""

import pytest

from tests.agents.models.asking import ask
from tests.fakes.upstream import (
    Answer,
    UpstreamServer,
    chunk,
    events,
    text,
)

STOP = chunk(finish="stop")

REASONING_SHAPES = {
    "26 reasoning_content": events(
        chunk({"reasoning_content": "Let me "}),
        chunk({"reasoning_content": "see", "content": None}),
        chunk({"reasoning_content": None, "content": "Hello"}),
        STOP,
    ),
    "26 reasoning": events(chunk({"reasoning": "Let me see"}), chunk({"content": "Hello"}), STOP),
    "26 reasoning_details": events(
        chunk({"reasoning_details": [{"type": "reasoning.text", "text": "Let me see"}]}),
        chunk({"content": "Hello"}),
        STOP,
    ),
    "26 both fields say the same": events(
        chunk({"reasoning": "Let me see", "reasoning_details": [{"text": "Let me see"}]}),
        chunk({"content": "Hello"}),
        STOP,
    ),
    "26 another field says it again at the end": events(
        chunk({"reasoning": "Let me see"}),
        chunk({"content": "Hello"}),
        chunk({"reasoning_details": [{"text": "Let me see"}]}, finish="stop"),
    ),
    "28 think tags": events(chunk({"content": "<think>Let me see</think>\n\nHello"}), STOP),
    "28 think tags split": events(
        *(
            chunk({"content": one})
            for one in ("<th", "ink>", "Let me", " see</t", "hink>", "\n\nHel", "lo")
        ),
        STOP,
    ),
    "30 thinking block": events(
        chunk(
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": "Let me see"}]}
                ]
            }
        ),
        chunk({"content": "Hello"}),
        STOP,
    ),
}


@pytest.mark.parametrize("answer", REASONING_SHAPES.values(), ids=REASONING_SHAPES)
async def test_reasoning_has_a_field_of_its_own(upstream: UpstreamServer, answer: Answer) -> None:
    upstream.script(answer)
    heard = await ask(upstream.url)
    assert (heard.text, heard.reasoning) == ("Hello", "Let me see")
    assert (heard.inference.text, heard.inference.reasoning) == ("Hello", "Let me see")


async def test_a_model_may_start_inside_its_thoughts(upstream: UpstreamServer) -> None:
    upstream.script(text("Let me see</think>Hello", chunks=9))
    heard = await ask(upstream.url, quirks={"think_tags": "open"})
    assert (heard.text, heard.reasoning) == ("Hello", "Let me see")
