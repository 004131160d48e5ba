"""What a tool is, who may call it, and what comes back."""

import hashlib
import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

ArgumentsObject = Mapping[str, Any]


class ToolSource(StrEnum):
    """Where a tool comes from."""

    BUILTIN = "builtin"


class Risk(StrEnum):
    """What a call can do: read safely, write locally, read with credentials, write outside, nothing ever."""

    SAFE = "safe"
    LOW = "low"
    MEDIUM = "medium"
    HIGH = "high"
    FORBIDDEN = "forbidden"


class AgentContext(StrEnum):
    """In what situation a run happens; only `primary` may wait for a person."""

    PRIMARY = "primary"
    SUBAGENT = "subagent"
    CRON = "cron"
    UNATTENDED = "unattended"


class ToolStatus(StrEnum):
    """How a call stands or ended."""

    PENDING = "pending"
    SUCCESS = "success"
    ERROR = "error"
    DENIED = "denied"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"
    SKIPPED = "skipped"
    REPLAYED = "replayed"


class ToolEffect(StrEnum):
    """What is known about a call's effect on the world. An unknown one is never repeated by itself."""

    NONE = "none"
    COMMITTED = "committed"
    UNKNOWN = "unknown"


@dataclass(frozen=True, kw_only=True)
class ToolDefinition:
    """One callable as the model sees it and as the gate judges it.

    `name` matches ^[a-zA-Z0-9_-]{1,64}$, `description` has ≤ 1024 characters, `parameters` is a JSON Schema
    of type object, `timeout` is in seconds.
    """

    name: str
    description: str
    parameters: Mapping[str, Any]
    source: ToolSource
    source_id: str = ""
    risk: Risk = Risk.SAFE
    is_managed: bool = False
    is_enabled: bool = True
    is_parallel_safe: bool = False
    is_idempotent: bool = False
    taints_output: bool = False
    timeout: float = 60.0

    @property
    def schema_hash(self) -> str:
        """SHA-256 of what a model is told about the tool."""
        told = {"name": self.name, "description": self.description, "parameters": self.parameters}
        canonical = json.dumps(told, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
        return hashlib.sha256(canonical.encode()).hexdigest()


@dataclass(frozen=True, kw_only=True)
class ToolExecutionContext:
    """What the platform says about a call; never filled from a model's arguments."""

    task_id: str
    caller_id: str
    agent_context: AgentContext = AgentContext.PRIMARY
    time_zone: str = "UTC"
    trusted_metadata: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class ToolError:
    """Why a call gave no result; `message` has ≤ 300 characters and no secret."""

    code: str
    message: str
    is_retryable: bool = False


@dataclass(frozen=True, kw_only=True)
class ToolResult:
    """The outcome of one call. `content` is what the model reads; `duration` is in seconds."""

    status: ToolStatus
    content: str
    error: ToolError | None = None
    duration: float = 0.0
    effect: ToolEffect = ToolEffect.NONE
    is_truncated: bool = False


class ToolFault(Exception):  # noqa: N818 -- a result that the model reads, not a fault of the program
    """What a handler raises when it cannot do what was asked; the message tells the model why."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


ToolHandler = Callable[[ArgumentsObject, ToolExecutionContext], Awaitable[str]]


@dataclass(frozen=True, kw_only=True)
class RegisteredTool:
    """A definition with the code that carries it out."""

    definition: ToolDefinition
    handler: ToolHandler
