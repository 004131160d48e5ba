"""The client for every service that speaks OpenAI's chat completions, with our own reader of its streams.

Why not a vendor's client: docs/decisions/0004-an-own-client-for-model-streams.md.
"""

import time
from collections.abc import AsyncGenerator

from agents.models.completion import Completion
from agents.models.estimates import estimate_request, estimate_written
from agents.models.http_stream import open_stream
from agents.models.inference import (
    Delta,
    Inference,
    InferenceRequest,
    ModelSpec,
    ToolCallRequest,
    Usage,
)
from agents.models.quirks import quirks_of
from agents.models.wire import request_body


class OpenAICompatibleClient:
    """Streams chat completions; leaving the iterator early closes the connection."""

    def __init__(self, spec: ModelSpec) -> None:
        self.spec = spec
        self._quirks = quirks_of(spec)

    async def stream(self, request: InferenceRequest) -> AsyncGenerator[Delta | Inference, None]:
        """See `ModelClient.stream`."""
        started = time.monotonic()
        first_token_latency: float | None = None
        completion = Completion(self.spec, self._quirks, first_position=len(request.messages))
        body = request_body(self.spec, self._quirks, request)
        async with open_stream(self.spec, body, completion) as stream:
            while (deltas := await stream.next_deltas()) is not None:
                for delta in deltas:
                    if first_token_latency is None:
                        first_token_latency = time.monotonic() - started
                    yield delta
        calls = completion.tool_calls()
        yield Inference(
            text=completion.text,
            reasoning=completion.reasoning,
            tool_calls=calls,
            finish_reason=completion.settled_finish_reason(),
            usage=_settle_usage(completion, calls, request),
            latency=time.monotonic() - started,
            first_token_latency=first_token_latency,
            raw=completion.raw(),
        )


def _settle_usage(
    completion: Completion, calls: tuple[ToolCallRequest, ...], request: InferenceRequest
) -> Usage:
    """What the service counted; what it did not is estimated."""
    if completion.usage.is_complete:
        return completion.usage.completed(input_estimate=0, output_estimate=0)
    return completion.usage.completed(
        input_estimate=estimate_request(request),
        output_estimate=estimate_written(completion.text, completion.reasoning, calls),
    )
