"""A whole run in one answer: the same events that stream, added up by id."""

from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing
from decimal import Decimal
from typing import Any

from pydantic import BaseModel

from agents.events import AgentThought, QueueEvent
from apps.api.token_usage import TokenUsage, token_usage
from apps.conversations.models import Message
from apps.runs.access import not_found

_DELTAS = ("thought", "answer", "reasoning")
_NOT_STEPS = frozenset({QueueEvent.RUN_STARTED, QueueEvent.PING})


class RunAnswer(BaseModel):
    """A finished run. `price` is a decimal in `currency`, `latency` seconds."""

    task_id: str
    conversation_id: str
    message_id: str
    status: str
    finish_reason: str | None = None
    answer: str
    reasoning: str
    steps: list[AgentThought]
    usage: TokenUsage
    price: Decimal | None = None
    currency: str | None = None
    latency: float | None = None
    error: dict[str, Any] | None = None

    def as_json(self) -> dict[str, Any]:
        """JSON values; steps leave out what says nothing, as events do."""
        steps = [step.model_dump(mode="json", exclude_none=True) for step in self.steps]
        return {**self.model_dump(mode="json", exclude={"steps"}), "steps": steps}


async def collect_answer(message: Message, thoughts: AsyncIterator[AgentThought]) -> RunAnswer:
    """Read `thoughts` to the terminal event; raises RunRefused when the message is deleted meanwhile."""
    steps: dict[str, AgentThought] = {}
    async with aclosing(thoughts) as events:  # type: ignore[type-var]
        async for thought in events:
            if thought.event.is_terminal:
                return _answer(message, list(steps.values()), thought)
            if thought.event is QueueEvent.SNAPSHOT:
                steps = {step["id"]: AgentThought(**step) for step in thought.steps or []}
            elif thought.event not in _NOT_STEPS:
                steps[thought.id] = add_up(steps.get(thought.id), thought)
    raise not_found(str(message.task_id))


def add_up(step: AgentThought | None, thought: AgentThought) -> AgentThought:
    """The step after one more of its events: texts grow, everything else is replaced by what is said anew.

    An AGENT_THOUGHT takes back what the step's AGENT_MESSAGE deltas said as answer.
    """
    if step is None:
        return thought
    said = thought.model_dump(exclude_none=True)
    grown = {name: _joined(step, said, name) for name in _DELTAS}
    if thought.event is QueueEvent.AGENT_THOUGHT:
        grown["answer"] = None
    return step.model_copy(update={**said, **grown})


def _joined(step: AgentThought, said: Mapping[str, Any], name: str) -> str | None:
    before: str | None = getattr(step, name)
    return before + said.get(name, "") if before is not None else said.get(name)


def _answer(message: Message, steps: list[AgentThought], end: AgentThought) -> RunAnswer:
    answers = [step for step in steps if step.event is QueueEvent.AGENT_MESSAGE]
    last = answers[-1] if answers else None
    return RunAnswer(
        task_id=str(message.task_id),
        conversation_id=str(message.conversation_id),
        message_id=str(message.pk),
        status=end.status or "",
        finish_reason=end.finish_reason,
        answer=(last and last.answer) or "",
        reasoning=(last and last.reasoning) or "",
        steps=steps,
        usage=token_usage(end.input_tokens, end.output_tokens, end.confidence),
        price=end.total_price,
        currency=end.currency,
        latency=end.latency,
        error=end.error,
    )
