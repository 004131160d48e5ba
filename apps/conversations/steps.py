"""A stored step told as the event it was."""

from agents.event_size import cut_messages, cut_text
from agents.events import AgentThought, QueueEvent
from apps.conversations.models import MessageAgentThought


def thought_of_step(step: MessageAgentThought, task_id: str) -> AgentThought:
    """The step as one finished AgentThought, as builders see it; `for_audience` cuts it for others."""
    return AgentThought(
        id=step.event_id,
        task_id=task_id,
        seq=step.last_seq,
        event=QueueEvent(step.event),
        code=step.code or None,
        thought=cut_text(step.thought) or None,
        observation=cut_text(step.observation) or None,
        tool=step.tool or None,
        tool_source=step.tool_source or None,
        tool_call_id=step.tool_call_id,
        tool_input=cut_text(step.tool_input) or None,
        tool_status=step.tool_status or None,
        answer=step.answer or None,
        reasoning=step.reasoning or None,
        total_token_count=_total(step.input_tokens, step.output_tokens),
        input_tokens=step.input_tokens,
        output_tokens=step.output_tokens,
        total_price=step.price,
        latency=step.latency,
        message=None if step.new_messages is None else cut_messages(step.new_messages),
        created_at=step.created_at,
    )


def _total(input_tokens: int | None, output_tokens: int | None) -> int | None:
    if input_tokens is None or output_tokens is None:
        return None
    return input_tokens + output_tokens
