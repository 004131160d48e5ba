"""How a model deviates from the protocol; stored as JSON at the model, validated here."""

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from agents.models.inference import ModelSpec
from agents.models.thinking import ThinkTags


class Quirks(BaseModel):
    """Deviations of one model; the defaults are the protocol as OpenAI documents it.

    `thinking_on` and `thinking_off` are merged into the body for the parameter `thinking`; without them it is
    not sent. `extra_body` is merged last. `echo_reasoning` sends the reasoning of this turn's tool rounds back
    (DeepSeek answers 400 otherwise). `think_tags` "open" is for models whose answer starts inside <think>.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    stream_usage: bool = True
    max_tokens_name: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    thinking_on: Mapping[str, Any] = {}
    thinking_off: Mapping[str, Any] = {}
    think_tags: ThinkTags = ThinkTags.AUTO
    echo_reasoning: bool = False
    tool_choice: bool = True
    parallel_tool_calls: bool = True
    system_role: Literal["system", "developer"] = "system"
    tool_result_role: Literal["tool", "user"] = "tool"
    temperature_fixed: bool = False
    empty_content: Literal["null", "empty", "omit"] = "null"
    extra_body: Mapping[str, Any] = {}


KIND_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "openai": {"max_tokens_name": "max_completion_tokens"},
    "deepseek": {"echo_reasoning": True},
}


def quirks_of(spec: ModelSpec) -> Quirks:
    """The quirks of the provider's kind, overridden by the model's own."""
    return Quirks.model_validate({**KIND_DEFAULTS.get(spec.kind, {}), **spec.quirks})
