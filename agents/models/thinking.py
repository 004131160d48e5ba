"""Reasoning that a model writes into its text between <think> tags, split off while it streams."""

import re
from enum import Enum

from agents.models.inference import ReasoningDelta, TextDelta

OPENING = re.compile(r"\s*<think(?:ing)?>", re.IGNORECASE)
CLOSING = re.compile(r"</think(?:ing)?>", re.IGNORECASE)
OPENING_TAGS = ("<think>", "<thinking>")
CLOSING_TAGS = ("</think>", "</thinking>")
LONGEST_LEAD = 200


class ThinkTags(Enum):
    """Where reasoning is looked for: at the start if a tag opens it, from the start even without, nowhere."""

    AUTO = "auto"
    OPEN = "open"
    OFF = "off"


class ThinkSplitter:
    """Splits streamed text into reasoning and answer; tags may be cut anywhere.

    Only a block at the very start is reasoning: a tag inside an answer is the answer's. A block that never
    closes is all reasoning. White space after a tag is dropped.
    """

    def __init__(self, tags: ThinkTags) -> None:
        self._read = {
            ThinkTags.AUTO: self._read_start,
            ThinkTags.OPEN: self._read_reasoning,
            ThinkTags.OFF: self._read_answer,
        }[tags]
        self._held = ""
        self._drops_space = tags is ThinkTags.OPEN

    def feed(self, text: str) -> list[TextDelta | ReasoningDelta]:
        """The deltas that this piece settles."""
        held, self._held = self._held + text, ""
        return self._read(held)

    def flush(self) -> list[TextDelta | ReasoningDelta]:
        """What was held back, at the end of the stream."""
        held, self._held = self._held, ""
        if self._read == self._read_reasoning:
            return self._reasoning(held)
        return self._answer(held)

    def _read_start(self, text: str) -> list[TextDelta | ReasoningDelta]:
        if opening := OPENING.match(text):
            self._read, self._drops_space = self._read_reasoning, True
            return self._read_reasoning(text[opening.end() :])
        lead = text.lstrip().lower()
        if len(text) <= LONGEST_LEAD and any(tag.startswith(lead) for tag in OPENING_TAGS):
            self._held = text
            return []
        self._read = self._read_answer
        return self._read_answer(text)

    def _read_reasoning(self, text: str) -> list[TextDelta | ReasoningDelta]:
        if closing := CLOSING.search(text):
            reasoning = self._reasoning(text[: closing.start()])
            self._read, self._drops_space = self._read_answer, True
            return reasoning + self._read_answer(text[closing.end() :])
        settled = _settled_length(text)
        self._held = text[settled:]
        return self._reasoning(text[:settled])

    def _read_answer(self, text: str) -> list[TextDelta | ReasoningDelta]:
        return self._answer(text)

    def _answer(self, text: str) -> list[TextDelta | ReasoningDelta]:
        kept = self._without_lead(text)
        return [TextDelta(kept)] if kept else []

    def _reasoning(self, text: str) -> list[TextDelta | ReasoningDelta]:
        kept = self._without_lead(text)
        return [ReasoningDelta(kept)] if kept else []

    def _without_lead(self, text: str) -> str:
        kept = text.lstrip() if self._drops_space else text
        self._drops_space = self._drops_space and not kept
        return kept


def _settled_length(text: str) -> int:
    """How much of the text cannot be the start of a closing tag."""
    start = text.rfind("<")
    tail = text[start:].lower() if start >= 0 else ""
    is_open = bool(tail) and any(tag.startswith(tail) for tag in CLOSING_TAGS)
    return start if is_open else len(text)
