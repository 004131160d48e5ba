"""Token counts, from any of the shapes in which services report them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from agents.models.inference import Confidence, Usage

LARGEST_COUNT = 1_000_000_000


@dataclass(frozen=True, kw_only=True)
class ReportedUsage:
    """What a service counted; None is what it did not say."""

    input_tokens: int | None
    output_tokens: int | None
    cached_tokens: int
    reasoning_tokens: int

    @property
    def is_complete(self) -> bool:
        return self.input_tokens is not None and self.output_tokens is not None

    def completed(self, *, input_estimate: int, output_estimate: int) -> Usage:
        """The usage with estimates for what is missing, and marked so."""
        return Usage(
            input_tokens=input_estimate if self.input_tokens is None else self.input_tokens,
            output_tokens=output_estimate if self.output_tokens is None else self.output_tokens,
            cached_tokens=self.cached_tokens,
            reasoning_tokens=self.reasoning_tokens,
            confidence=Confidence.EXACT if self.is_complete else Confidence.ESTIMATED,
        )


NOT_REPORTED = ReportedUsage(
    input_tokens=None, output_tokens=None, cached_tokens=0, reasoning_tokens=0
)


def read_usage(reported: Any) -> ReportedUsage | None:
    """The counts of one usage object, or None when it is missing or says nothing."""
    if not isinstance(reported, dict):
        return None
    read = ReportedUsage(
        input_tokens=_count(reported, "prompt_tokens", "input_tokens"),
        output_tokens=_count(reported, "completion_tokens", "output_tokens"),
        cached_tokens=_detail(reported, "prompt_tokens_details", "cached_tokens")
        or _count(reported, "prompt_cache_hit_tokens", "cached_tokens")
        or 0,
        reasoning_tokens=_detail(reported, "completion_tokens_details", "reasoning_tokens"),
    )
    return read if read.input_tokens or read.output_tokens else None


def _count(reported: Mapping[str, Any], *names: str) -> int | None:
    """The first of these that is a possible number of tokens."""
    for name in names:
        value: Any = reported.get(name)
        if type(value) in (int, float) and 0 <= value <= LARGEST_COUNT:
            return int(value)
    return None


def _detail(reported: Mapping[str, Any], group: str, name: str) -> int:
    details = reported.get(group)
    return (_count(details, name) or 0) if isinstance(details, dict) else 0
