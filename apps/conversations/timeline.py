"""The stored steps of a turn as a reader may see them: one list for the chat page and the admin."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from agents.events import Audience, QueueEvent
from apps.conversations.models import Message, MessageAgentThought
from tools.definition import ToolStatus

ACTIONS = {QueueEvent.AGENT_ACTION.value, QueueEvent.DATASET_RETRIEVAL.value}
MODEL_CALLS = {QueueEvent.AGENT_THOUGHT.value, QueueEvent.AGENT_MESSAGE.value}


@dataclass(frozen=True, kw_only=True)
class Exchange:
    """What a model was asked and what it said, exactly; only for builders."""

    system_prompt: str
    new_messages: str
    answer: str


@dataclass(frozen=True, kw_only=True)
class Step:
    """One line of a timeline. `kind` is thought, action, recall, notice or answer; `status` a ToolStatus or "".

    `latency` is in seconds, `price` in `currency`.
    """

    kind: str
    title: str
    status: str = ""
    text: str = ""
    reasoning: str = ""
    tool_input: str = ""
    observation: str = ""
    tokens: int | None = None
    price: Decimal | None = None
    currency: str = ""
    latency: float | None = None
    exchange: Exchange | None = None

    @property
    def has_details(self) -> bool:
        return bool(
            self.text or self.reasoning or self.tool_input or self.observation or self.exchange
        )


def timeline_of(message: Message, audience: Audience) -> list[Step]:
    """The message's steps in order; reads `message.thoughts`, which lists prefetch."""
    if audience is Audience.ASKER_OFF:
        return []
    steps = (_step_of(thought, audience) for thought in message.thoughts.all())
    return [step for step in steps if step is not None]


def _step_of(thought: MessageAgentThought, audience: Audience) -> Step | None:
    if thought.event in ACTIONS:
        return _action(thought, audience)
    if audience is Audience.ASKER_NAMES:
        return None
    if thought.event == QueueEvent.LONG_TERM_MEMORY_RECALL:
        return _recall(thought, audience)
    if thought.event not in MODEL_CALLS:
        return None
    is_notice = thought.event == QueueEvent.AGENT_THOUGHT and thought.assistant_message is None
    return _notice(thought) if is_notice and thought.code else _model_call(thought, audience)


def _action(thought: MessageAgentThought, audience: Audience) -> Step:
    is_open = audience is not Audience.ASKER_NAMES
    return Step(
        kind="action",
        title=thought.tool.replace("_", " "),
        status=thought.tool_status or ToolStatus.PENDING.value,
        tool_input=indent_json(thought.tool_input) if is_open else "",
        observation=indent_json(thought.observation) if is_open else "",
        latency=thought.latency,
    )


def _recall(thought: MessageAgentThought, audience: Audience) -> Step:
    """What memory says stands in the prompt: that it was used is for everyone, its text is not."""
    return Step(
        kind="recall",
        title=_("Remembered earlier turns"),
        text=thought.observation if audience is Audience.BUILDER else "",
    )


def _notice(thought: MessageAgentThought) -> Step:
    return Step(kind="notice", title=thought.code.replace("_", " "), text=thought.observation)


def _model_call(thought: MessageAgentThought, audience: Audience) -> Step | None:
    """Thoughts and reasoning are for all who see steps; what a call cost and was asked only for builders."""
    is_answer = thought.event == QueueEvent.AGENT_MESSAGE
    is_builder = audience is Audience.BUILDER
    text = "" if is_answer else thought.thought
    if not (is_builder or text or thought.reasoning):
        return None
    counts = (thought.input_tokens, thought.output_tokens)
    return Step(
        kind="answer" if is_answer else "thought",
        title=_("Answer") if is_answer else _("Thought"),
        text=text,
        reasoning=thought.reasoning,
        tokens=sum(count or 0 for count in counts) if is_builder and any(counts) else None,
        price=thought.price if is_builder else None,
        currency=thought.message.currency,
        latency=thought.latency,
        exchange=_exchange(thought) if is_builder else None,
    )


def _exchange(thought: MessageAgentThought) -> Exchange | None:
    if thought.new_messages is None and thought.assistant_message is None:
        return None
    return Exchange(
        system_prompt=thought.system_prompt.text if thought.system_prompt else "",
        new_messages=_as_text(thought.new_messages or []),
        answer=_as_text(thought.assistant_message or {}),
    )


def indent_json(text: str) -> str:
    """JSON objects and lists with line breaks, everything else as it is."""
    if not text.lstrip().startswith(("{", "[")):
        return text
    try:
        return _as_text(json.loads(text))
    except ValueError:
        return text


def _as_text(content: Sequence[Any] | dict[str, Any]) -> str:
    return json.dumps(content, indent=2, ensure_ascii=False)
