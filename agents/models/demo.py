"""The built-in demo model: no network, no key, no intelligence, but the whole protocol.

It streams, calls the clock and the calculator (natively, or through ReAct where the prompt describes it), names
and sums up conversations, and says plainly that it is a demo.
"""

import asyncio
import json
import re
import time
from collections.abc import AsyncGenerator, Iterator

from agents.models.demo_answers import DemoAnswer, answer_request
from agents.models.estimates import estimate_request, estimate_written
from agents.models.inference import (
    Confidence,
    Delta,
    Inference,
    InferenceRequest,
    ModelSpec,
    TextDelta,
    ToolCallDelta,
    ToolCallRequest,
    Usage,
)
from agents.outcome import FinishReason
from agents.react import mint_call_id

SECONDS_PER_WORD = 0.015
SECONDS_PER_SLOW_WORD = 0.05
WORD = re.compile(
    r"\s*[\u3000-\u30ff\u3400-\u9fff\uff00-\uffef]{1,2}|\s*[^\s\u3000-\uffef]+\s*|\s+"
)


class DemoClient:
    """Answers from a script, word by word."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec

    async def stream(self, request: InferenceRequest) -> AsyncGenerator[Delta | Inference, None]:
        """See `ModelClient.stream`; never raises."""
        started = time.monotonic()
        answer = answer_request(request)
        pause = SECONDS_PER_SLOW_WORD if answer.is_slow else SECONDS_PER_WORD
        await asyncio.sleep(pause)
        first_token_latency = time.monotonic() - started
        for word in WORD.findall(answer.text):
            yield TextDelta(word)
            await asyncio.sleep(pause)
        calls = tuple(_requests(answer, first_position=len(request.messages)))
        for position, call in enumerate(calls):
            yield ToolCallDelta(position, call.name)
        yield Inference(
            text=answer.text,
            reasoning="",
            tool_calls=calls,
            finish_reason=FinishReason.TOOL_CALLS if calls else FinishReason.STOP,
            usage=Usage(
                input_tokens=estimate_request(request),
                output_tokens=estimate_written(answer.text, "", calls),
                confidence=Confidence.ESTIMATED,
            ),
            latency=time.monotonic() - started,
            first_token_latency=first_token_latency,
        )


def _requests(answer: DemoAnswer, *, first_position: int) -> Iterator[ToolCallRequest]:
    for position, (name, arguments) in enumerate(answer.calls, start=first_position):
        raw = json.dumps(arguments, ensure_ascii=False)
        yield ToolCallRequest(
            id=mint_call_id(name, raw, position), name=name, raw_arguments=raw, arguments=arguments
        )
