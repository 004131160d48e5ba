"""Asking the scripted model service through the real client."""

from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage

from agents.models.inference import (
    Delta,
    Inference,
    InferenceRequest,
    ModelClient,
    ModelSpec,
    ReasoningDelta,
    TextDelta,
)
from agents.models.openai_compatible import OpenAICompatibleClient
from agents.models.sessions import close_sessions

SECRET = "sk-made-up-0123456789"
SPEC = ModelSpec(
    kind="openai_compatible", name="fake-model", label="Fake/fake-model", secret=SECRET
)
QUESTION = InferenceRequest(messages=[HumanMessage("Hello?")])


@dataclass(frozen=True, kw_only=True)
class Heard:
    """Everything that one call gave."""

    deltas: list[Delta]
    inference: Inference

    @property
    def text(self) -> str:
        return "".join(one.text for one in self.deltas if isinstance(one, TextDelta))

    @property
    def reasoning(self) -> str:
        return "".join(one.text for one in self.deltas if isinstance(one, ReasoningDelta))

    @property
    def calls(self) -> list[tuple[str, Any]]:
        return [(call.name, call.arguments) for call in self.inference.tool_calls]


async def ask(url: str, *messages: BaseMessage, **changes: Any) -> Heard:
    """One call to the service at `url`; `changes` to the spec."""
    client = OpenAICompatibleClient(replace(SPEC, base_url=url, **changes))
    request = InferenceRequest(messages=messages) if messages else QUESTION
    try:
        return await listen(client, request)
    finally:
        await close_sessions()


async def listen(client: ModelClient, request: InferenceRequest) -> Heard:
    """Everything up to the final inference, which is the last and the only one."""
    items: list[Delta | Inference] = []
    async with aclosing(client.stream(request)) as stream:
        items.extend([item async for item in stream])
    *deltas, inference = items
    assert isinstance(inference, Inference)
    return Heard(
        deltas=[one for one in deltas if not isinstance(one, Inference)], inference=inference
    )
