"""Notices a model that goes in circles."""

import json
from collections import Counter
from dataclasses import dataclass, field

from agents.failure import RunFailed
from agents.models.inference import ToolCallRequest
from tools.definition import ToolResult

WARN_AT = 3
FAIL_AT = 5
BAD_ROUNDS = 3
# What the gate says about calls that could not be made at all.
BAD_CODES = frozenset({"unknown_tool", "blank_name", "invalid_arguments"})


@dataclass
class LoopGuard:
    """Counts equal failures (tool, arguments, error) and rounds in which nothing could be called."""

    failures: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    bad_rounds: int = 0

    def remark(self, call: ToolCallRequest, result: ToolResult) -> str:
        """Count a failure; what to tell the model beside the result, or ""."""
        if result.error is None:
            return ""
        key = (call.name, _written(call), result.error.code)
        self.failures[key] += 1
        count = self.failures[key]
        if count < WARN_AT:
            return ""
        return f"You made this same call {count} times with the same error. Do something else."

    def end_batch(self) -> None:
        """Raises RunFailed after the fifth equal failure."""
        for (name, _arguments, _code), count in self.failures.most_common(1):
            if count >= FAIL_AT:
                raise RunFailed(
                    "loop_detected",
                    f"The model called {name!r} {count} times with the same arguments and the same error.",
                )

    def end_round(self, results: list[ToolResult]) -> None:
        """Raises RunFailed after three rounds in a row in which no call was possible."""
        is_bad = all(result.error and result.error.code in BAD_CODES for result in results)
        self.bad_rounds = self.bad_rounds + 1 if is_bad else 0
        if self.bad_rounds >= BAD_ROUNDS:
            raise RunFailed(
                "unusable_tool_calls",
                f"The model asked {BAD_ROUNDS} times in a row for tool calls that cannot be made.",
            )


def _written(call: ToolCallRequest) -> str:
    if call.arguments is None:
        return call.raw_arguments
    return json.dumps(dict(call.arguments), sort_keys=True)
