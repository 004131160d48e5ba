"""How a run stands and how it ends."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Self


class RunStatus(StrEnum):
    """The state of a run. Everything after `waiting_permit` is final."""

    QUEUED = "queued"
    RUNNING = "running"
    WAITING_PERMIT = "waiting_permit"
    NORMAL = "normal"
    ITERATION_LIMIT = "iteration_limit"
    STOPPED = "stopped"
    TIMEOUT = "timeout"
    ERROR = "error"
    BUDGET_EXCEEDED = "budget_exceeded"
    INTERRUPTED = "interrupted"

    @property
    def is_final(self) -> bool:
        return self not in UNFINISHED


UNFINISHED = frozenset({RunStatus.QUEUED, RunStatus.RUNNING, RunStatus.WAITING_PERMIT})


class FinishReason(StrEnum):
    """Why the last model call of a run, and so its answer, ended."""

    STOP = "stop"
    TOOL_CALLS = "tool_calls"
    LENGTH = "length"
    CONTENT_FILTER = "content_filter"
    ERROR = "error"


@dataclass(frozen=True, kw_only=True)
class RunError:
    """What went wrong, for people: `message` says what happened and what to do, and holds no secret."""

    code: str
    message: str
    is_retryable: bool = False

    def as_json(self) -> dict[str, Any]:
        """As rows and events hold it."""
        return {"code": self.code, "message": self.message, "retryable": self.is_retryable}

    @classmethod
    def from_json(cls, stored: Mapping[str, Any]) -> Self:
        return cls(code=stored["code"], message=stored["message"], is_retryable=stored["retryable"])


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """The end of a run."""

    status: RunStatus
    finish_reason: FinishReason | None = None
    error: RunError | None = None
