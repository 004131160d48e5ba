"""Token estimates for what a service did not count."""

import json
from collections.abc import Iterable

from agents.models.inference import InferenceRequest, ToolCallRequest
from memory.token_estimate import estimate_tokens


def estimate_request(request: InferenceRequest) -> int:
    """About how many tokens a request has."""
    told = [str(message.text) for message in request.messages]
    told += [f"{t.name} {t.description} {json.dumps(dict(t.parameters))}" for t in request.tools]
    return estimate_tokens("\n".join(told))


def estimate_written(text: str, reasoning: str, calls: Iterable[ToolCallRequest]) -> int:
    """About how many tokens an answer has."""
    written = [text, reasoning, *(f"{call.name} {call.raw_arguments}" for call in calls)]
    return estimate_tokens("\n".join(filter(None, written)))
