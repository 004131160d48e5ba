"""AgentThought: the one event of the wire, and what each audience sees of it. See docs/events.md."""

from datetime import datetime
from decimal import Decimal
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class QueueEvent(StrEnum):
    """The kind of an AgentThought."""

    RUN_STARTED = "run_started"
    LONG_TERM_MEMORY_RECALL = "long_term_memory_recall"
    AGENT_THOUGHT = "agent_thought"
    AGENT_MESSAGE = "agent_message"
    AGENT_ACTION = "agent_action"
    DATASET_RETRIEVAL = "dataset_retrieval"
    PERMIT_REQUEST = "permit_request"
    AGENT_END = "agent_end"
    STOP = "stop"
    ERROR = "error"
    TIMEOUT = "timeout"
    PING = "ping"
    SNAPSHOT = "snapshot"

    @property
    def is_terminal(self) -> bool:
        return self in TERMINAL


TERMINAL = frozenset({QueueEvent.AGENT_END, QueueEvent.STOP, QueueEvent.ERROR, QueueEvent.TIMEOUT})


class Audience(StrEnum):
    """Who reads: operators and the App's builders everything, an asker by the App's `show_steps`."""

    BUILDER = "builder"
    ASKER_FULL = "full"
    ASKER_NAMES = "names"
    ASKER_OFF = "off"


class AgentThought(BaseModel):
    """One event of a run, as the log keeps it.

    `id` is shared by all events of one step; `answer`, `thought` and `reasoning` are deltas, added up by id.
    Prices are decimals written as strings, latencies seconds.
    """

    model_config = ConfigDict(extra="forbid")

    id: str
    task_id: str
    seq: int = 0
    event: QueueEvent
    code: str | None = None
    thought: str | None = None
    observation: str | None = None
    tool: str | None = None
    tool_source: str | None = None
    tool_call_id: str | None = None
    tool_input: str | None = None
    tool_status: str | None = None
    answer: str | None = None
    reasoning: str | None = None
    total_token_count: int | None = None
    total_price: Decimal | None = None
    currency: str | None = None
    latency: float | None = None
    status: str | None = None
    error: dict[str, Any] | None = None
    finish_reason: str | None = None
    message_id: str | None = None
    conversation_id: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    confidence: str | None = None
    message: list[dict[str, Any]] | None = None
    steps: list[dict[str, Any]] | None = None
    created_at: datetime | None = Field(default=None)

    def as_json(self) -> str:
        """One line of JSON without the fields that say nothing."""
        return self.model_dump_json(exclude_none=True)
