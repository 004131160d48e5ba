"""One answer under construction: from the payloads of data lines to deltas and the inference."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from agents.models.accumulator import ToolCallAccumulator
from agents.models.content_blocks import is_thought, text_of
from agents.models.errors import error_of_event, error_of_page, without_secrets
from agents.models.inference import (
    Delta,
    ModelCallError,
    ModelSpec,
    ReasoningDelta,
    TextDelta,
    ToolCallRequest,
)
from agents.models.quirks import Quirks
from agents.models.safe_text import SafeText
from agents.models.thinking import ThinkSplitter
from agents.models.usage import NOT_REPORTED, ReportedUsage, read_usage
from agents.outcome import FinishReason
from tools.plain_text import shorten

FINISH_REASONS: Mapping[str, FinishReason] = {
    "tool_calls": FinishReason.TOOL_CALLS,
    "tool_use": FinishReason.TOOL_CALLS,
    "function_call": FinishReason.TOOL_CALLS,
    "length": FinishReason.LENGTH,
    "max_tokens": FinishReason.LENGTH,
    "content_filter": FinishReason.CONTENT_FILTER,
    "safety": FinishReason.CONTENT_FILTER,
    "sensitive": FinishReason.CONTENT_FILTER,
    "refusal": FinishReason.CONTENT_FILTER,
    "error": FinishReason.ERROR,
    "network_error": FinishReason.ERROR,
    "abort": FinishReason.ERROR,
}
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details")
LASTING = frozenset({FinishReason.LENGTH, FinishReason.CONTENT_FILTER, FinishReason.ERROR})
LONGEST_QUOTE = 80
LOOKED_AT = 2_000
CUT_CALL = "The answer was cut before the call was complete ({reason}); it was not run. Send a shorter call."


class Completion:
    """Adds up the chunks of one answer. The cost of a chunk does not grow with the answer.

    `finish_reason` is None until the service has named one: without it the answer is not complete. `is_done`
    says that [DONE] came. `usage` is the last report that says something, never a sum. `first_position` is what
    the positions of calls count from when ids are made up, so that equal calls of one run differ.
    """

    def __init__(self, spec: ModelSpec, quirks: Quirks, *, first_position: int = 0) -> None:
        self.finish_reason: FinishReason | None = None
        self.is_done = False
        self.usage: ReportedUsage = NOT_REPORTED
        self._spec = spec
        self._calls = ToolCallAccumulator(first_position=first_position)
        self._splitter = ThinkSplitter(quirks.think_tags)
        self._safe_text, self._safe_reasoning = SafeText(), SafeText()
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._choice_index: Any = None
        self._reasoning_field = ""

    def take(self, payload: str) -> list[Delta]:
        """The deltas of one payload. Raises ModelCallError for an error event and for what is no JSON object."""
        if payload == "[DONE]":
            self.is_done = True
            return []
        return self._take_event(self._parse(payload))

    def take_rest(self, payload: str | None, stray: str) -> list[Delta]:
        """What stood at the end of the body: a last line without line end, or a body that was no stream."""
        if payload:
            return self.take(payload) if _is_json_object(payload) or payload == "[DONE]" else []
        if not stray:
            return []
        if not _is_json_object(stray):
            raise error_of_page(self._spec, stray)
        return self._take_event(json.loads(stray))

    def flush(self) -> list[Delta]:
        """What was held back for a tag or half a character."""
        held = self._splitter.feed(self._safe_text.flush()) + self._splitter.flush()
        return self._keep([ReasoningDelta(self._safe_reasoning.flush()), *held])

    @property
    def text(self) -> str:
        return "".join(self._text)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    def tool_calls(self) -> tuple[ToolCallRequest, ...]:
        """The calls; none of them has arguments when the answer was cut, so that none can run."""
        calls = self._calls.requests()
        if self.finish_reason not in (FinishReason.LENGTH, FinishReason.ERROR):
            return calls
        problem = CUT_CALL.format(reason=self.finish_reason)
        return tuple(replace(call, arguments=None, problem=problem) for call in calls)

    def settled_finish_reason(self) -> FinishReason:
        """Calls decide between `stop` and `tool_calls`, whatever the service says."""
        reason = self.finish_reason or FinishReason.ERROR
        if reason in LASTING:
            return reason
        return FinishReason.TOOL_CALLS if self._calls else FinishReason.STOP

    def raw(self) -> dict[str, Any]:
        """What may have to go back to the service with this answer."""
        pairs = zip(self._calls.requests(), self._calls.extras(), strict=True)
        extras = {call.id: extra for call, extra in pairs if extra}
        return {"extra_content": extras} if extras else {}

    def _parse(self, payload: str) -> dict[str, Any]:
        try:
            event = json.loads(payload)
        except (ValueError, RecursionError) as error:
            raise self._malformed(payload) from error
        if not isinstance(event, dict):
            raise self._malformed(payload)
        return event

    def _malformed(self, payload: str) -> ModelCallError:
        shown = shorten(without_secrets(self._spec, payload[:LOOKED_AT]), LONGEST_QUOTE)
        return ModelCallError(
            "malformed_stream", f"{self._spec.label!r} sent an event that is not JSON: {shown!r}"
        )

    def _take_event(self, event: Mapping[str, Any]) -> list[Delta]:
        if error := error_of_event(self._spec, event):
            raise error
        choice = self._own_choice(event.get("choices"))
        self.usage = read_usage(event.get("usage")) or read_usage(choice.get("usage")) or self.usage
        self._note_finish(choice.get("finish_reason"))
        return self._take_delta(choice)

    def _own_choice(self, choices: Any) -> Mapping[str, Any]:
        """The chunk's choice of the same index as the first that came."""
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict):
                index = choice.get("index") or 0
                self._choice_index = index if self._choice_index is None else self._choice_index
                if index == self._choice_index:
                    return choice
        return {}

    def _note_finish(self, reason: Any) -> None:
        if isinstance(reason, str) and reason and self.finish_reason not in LASTING:
            self.finish_reason = FINISH_REASONS.get(reason.lower(), FinishReason.STOP)

    def _take_delta(self, choice: Mapping[str, Any]) -> list[Delta]:
        delta = choice.get("delta")
        if isinstance(delta, dict) and delta:
            return self._take_message(delta)
        message = choice.get("message")
        return self._take_whole(message) if isinstance(message, dict) else []

    def _take_whole(self, message: Mapping[str, Any]) -> list[Delta]:
        """A full message; a stream that ends with one has said its parts before."""
        said = {"content"} if self._text else set()
        said |= {"tool_calls", "function_call"} if self._calls else set()
        said |= set(REASONING_FIELDS) if self._reasoning else set()
        return self._take_message({k: v for k, v in message.items() if k not in said})

    def _take_message(self, delta: Mapping[str, Any]) -> list[Delta]:
        deltas: list[Delta] = []
        if reasoning := self._reasoning_of(delta):
            deltas.append(ReasoningDelta(reasoning))
        content = delta.get("content") or delta.get("refusal")
        if isinstance(content, str):
            deltas += self._splitter.feed(self._safe_text.feed(content))
        elif isinstance(content, list):
            deltas += self._take_blocks(content)
        if fragments := delta.get("tool_calls"):
            deltas += self._calls.add(fragments)
        if legacy := delta.get("function_call"):
            deltas += self._calls.add({"index": 0, "function": legacy})
        return self._keep(deltas)

    def _take_blocks(self, blocks: list[Any]) -> list[Delta]:
        deltas: list[Delta] = []
        for block in blocks:
            if is_thought(block):
                deltas.append(ReasoningDelta(self._safe_reasoning.feed(text_of(block))))
            else:
                deltas += self._splitter.feed(self._safe_text.feed(text_of(block)))
        return deltas

    def _reasoning_of(self, delta: Mapping[str, Any]) -> str:
        """The reasoning of a chunk. Services that name it twice are read by the field they used first."""
        for name in (self._reasoning_field,) if self._reasoning_field else REASONING_FIELDS:
            if value := delta.get(name):
                self._reasoning_field = name
                return self._safe_reasoning.feed(text_of(value))
        return ""

    def _keep(self, deltas: list[Delta]) -> list[Delta]:
        """Adds the deltas to the answer; returns those that say something."""
        kept: list[Delta] = []
        for one in deltas:
            match one:
                case TextDelta(text="") | ReasoningDelta(text=""):
                    continue
                case TextDelta(text=text):
                    self._text.append(text)
                case ReasoningDelta(text=text):
                    self._reasoning.append(text)
            kept.append(one)
        return kept


def _is_json_object(text: str) -> bool:
    try:
        return isinstance(json.loads(text), dict)
    except (ValueError, RecursionError):
        return False
