"""How a run stands and how it ends."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
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


# Failures that are told in the model service's own words (`ModelCallError`).
SERVICE_CODES = frozenset(
    {
        "authentication_failed",
        "bad_request",
        "connection_failed",
        "malformed_stream",
        "model_not_found",
        "rate_limited",
        "upstream_error",
        "upstream_truncated",
    }
)
SERVICE_FAILED = (
    "The model service did not answer this question. The owner of this App can see why."
)


@dataclass(frozen=True, kw_only=True)
class RunError:
    """What went wrong, for people: `message` says what happened and what to do, and holds no secret."""

    code: str
    message: str
    is_retryable: bool = False

    def for_asker(self) -> Self:
        """What an asker may read: the words of a model service can name accounts, keys and addresses."""
        if self.code not in SERVICE_CODES:
            return self
        return replace(self, message=SERVICE_FAILED)

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
