"""What the loop says while it runs. The recorder turns records into rows and into AgentThought events.

`step` names the step that a record belongs to; it becomes the event's id.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from agents.models.inference import Inference, ModelSpec, ToolCallRequest
from tools.definition import ToolResult, ToolSource


@dataclass(frozen=True, kw_only=True, slots=True)
class RunStarted:
    """The run has begun; readers learn the ids."""

    message_id: str
    conversation_id: str


@dataclass(frozen=True, kw_only=True, slots=True)
class Recalled:
    """Long-term memory stands in the prompt."""

    step: str
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class AnswerDelta:
    """A piece of what may become the answer, or of the model's reasoning."""

    step: str
    text: str = ""
    reasoning: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class PresetAnswer:
    """An answer that no model wrote, such as the response to a blocked question."""

    step: str
    text: str
    code: str


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFinished:
    """A model call is over.

    With tool calls its text was thought, and readers take it back from the answer; without, it is the answer.
    `text` is what counts for readers (after review), `inference` is what the model said. `calls` are its native
    calls under the ids that their results have; a call written as text stands in the text alone. `system_prompt`
    and `new_messages` (the stack's messages that no earlier step holds, as JSON) say what it was asked.
    """

    step: str
    model: ModelSpec
    inference: Inference
    text: str
    is_answer: bool
    calls: Sequence[ToolCallRequest]
    system_prompt: str
    new_messages: Sequence[Mapping[str, Any]]
    code: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class CallFailed:
    """A model call ended with an error, after its retries."""

    step: str
    model: ModelSpec
    code: str
    message: str
    latency: float


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """A tool call is claimed; its row is committed before it runs. `arguments` is the raw JSON text."""

    step: str
    call_id: str
    tool: str
    source: ToolSource | None
    arguments: str


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """A tool call has its one result."""

    step: str
    call_id: str
    tool: str
    source: ToolSource | None
    arguments: str
    result: ToolResult


@dataclass(frozen=True, kw_only=True, slots=True)
class Notice:
    """Something a person should know about the run: a fallback, a retry, a parse that failed."""

    step: str
    code: str
    text: str


Record = (
    RunStarted
    | Recalled
    | AnswerDelta
    | PresetAnswer
    | CallFinished
    | CallFailed
    | ToolStarted
    | ToolFinished
    | Notice
)
