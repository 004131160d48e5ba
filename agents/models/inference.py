"""The one interface to a model: a request in, deltas and exactly one final inference out."""

from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Any, Protocol

from langchain_core.messages import BaseMessage

from agents.outcome import FinishReason
from tools.definition import ToolDefinition


class Confidence(StrEnum):
    """How well a token count is known."""

    EXACT = "exact"
    ESTIMATED = "estimated"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class Usage:
    """Tokens of one call, as the provider counted them or as we estimate them."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    confidence: Confidence = Confidence.EXACT


@dataclass(frozen=True, kw_only=True)
class UnitPrices:
    """Prices per million tokens in one currency; None is unknown, never free."""

    input: Decimal
    output: Decimal
    cached_input: Decimal | None = None
    currency: str = "USD"


@dataclass(frozen=True, kw_only=True)
class ModelSpec:
    """A model and how to reach it: LanguageModel and ModelProvider, translated once.

    Timeouts are in seconds. `secret` never appears in a repr. `quirks` holds the keys of `quirks.py`.
    """

    kind: str
    name: str
    label: str
    base_url: str = ""
    secret: str = field(default="", repr=False)
    extra_headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    connect_timeout: float = 10.0
    first_token_timeout: float = 120.0
    idle_timeout: float = 60.0
    tool_call: bool = True
    agent_thought: bool = True
    image_input: bool = False
    reasoning: bool = False
    parallel_tool_calls: bool = True
    context_window: int = 32_768
    max_output_tokens: int | None = None
    parameters: Mapping[str, Any] = field(default_factory=dict)
    quirks: Mapping[str, Any] = field(default_factory=dict)
    prices: UnitPrices | None = None
    row_id: int | None = None


@dataclass(frozen=True, kw_only=True)
class InferenceRequest:
    """What a model is asked. `messages` are LangChain messages that `normalize_history` has passed.

    `parameters` (temperature, top_p, max_tokens, …) win over the model's own defaults.
    """

    messages: Sequence[BaseMessage]
    tools: Sequence[ToolDefinition] = ()
    parameters: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the visible answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of the model's own reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCallDelta:
    """A tool call is being written; readers only learn that it happens. No argument is complete yet."""

    position: int
    name: str


@dataclass(frozen=True, kw_only=True)
class ToolCallRequest:
    """A call that the model asks for.

    `arguments` is the complete JSON object, or None when what came (`raw_arguments`) is not one; then
    `problem` says what is wrong, for the model to read, and nothing is run.
    """

    id: str
    name: str
    raw_arguments: str
    arguments: Mapping[str, Any] | None
    problem: str = ""


@dataclass(frozen=True, kw_only=True)
class Inference:
    """The end of one model call. Latencies are in seconds.

    `finish_reason` LENGTH or ERROR means that no tool call of it may run. `raw` keeps what a provider wants
    back (signatures), as JSON; as `additional_kwargs['raw']` of the AIMessage it finds its way back (`wire.py`).
    The deltas of the call add up to `text` and `reasoning`.
    """

    text: str
    reasoning: str
    tool_calls: tuple[ToolCallRequest, ...]
    finish_reason: FinishReason
    usage: Usage
    latency: float
    first_token_latency: float | None
    raw: Mapping[str, Any] = field(default_factory=dict)


Delta = TextDelta | ReasoningDelta | ToolCallDelta


class ModelCallError(Exception):
    """A model call failed. `code` is one of: connection_failed, model_timeout, authentication_failed,
    model_not_found, rate_limited, bad_request, context_too_long, upstream_error, upstream_truncated,
    malformed_stream. The message holds the provider's own words, redacted.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        is_retryable: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.is_retryable = is_retryable
        self.retry_after = retry_after


class ModelClient(Protocol):
    """Calls one model. Implementations: `openai_compatible.py`, `demo.py`."""

    spec: ModelSpec

    def stream(self, request: InferenceRequest) -> AsyncGenerator[Delta | Inference, None]:
        """Deltas as they come, then exactly one `Inference`, last. Closing the iterator closes the connection.

        Raises ModelCallError; a stream cut after the first token raises `upstream_truncated`.
        """
        ...
