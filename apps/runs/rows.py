"""From a record of the loop to the rows that keep it. Pure: nothing is written here."""

import hashlib
from decimal import Decimal
from typing import Any

from agents.events import AgentThought
from agents.message_repair import clean_value
from agents.models.inference import Confidence, ModelSpec, ToolCallRequest, Usage
from agents.models.pricing import cost_of
from agents.records import CallFailed, CallFinished, ToolFinished
from apps.conversations.models import Message, MessageAgentThought
from apps.usage.models import ModelCall


def step_row(message: Message, position: int, thought: AgentThought) -> MessageAgentThought:
    """The row of a step as its event tells it."""
    return MessageAgentThought(
        message=message,
        position=position,
        event=thought.event,
        event_id=thought.id,
        last_seq=thought.seq,
        code=thought.code or "",
        thought=thought.thought or "",
        answer=thought.answer or "",
        reasoning=thought.reasoning or "",
        observation=thought.observation or "",
        tool=(thought.tool or "")[:64],
        tool_source=thought.tool_source or "",
        tool_call_id=thought.tool_call_id,
        tool_input=thought.tool_input or "",
        tool_status=thought.tool_status or "",
        latency=thought.latency,
    )


def call_row(
    message: Message, position: int, thought: AgentThought, record: CallFinished
) -> MessageAgentThought:
    """The row of a finished model call: what it said, what it was asked, what it cost."""
    row = step_row(message, position, thought)
    prices, usage = record.model.prices, record.inference.usage
    row.reasoning = record.inference.reasoning
    row.answer, row.thought = (record.text, "") if record.is_answer else ("", record.text)
    row.system_prompt_id = digest_of(record.system_prompt)
    row.new_messages = list(record.new_messages)
    row.assistant_message = _assistant_message(record)
    row.input_tokens, row.output_tokens = usage.input_tokens, usage.output_tokens
    row.input_price = prices.input if prices else None
    row.output_price = prices.output if prices else None
    row.price = cost_of(usage, prices)
    return row


def tool_changes(thought: AgentThought, record: ToolFinished) -> dict[str, Any]:
    """What the end of a call changes in its pending row; it is whole also where its event was cut."""
    return {
        "tool_input": record.arguments,
        "last_seq": thought.seq,
        "code": thought.code or "",
        "observation": record.result.content,
        "tool_status": record.result.status,
        "effect": record.result.effect,
        "latency": thought.latency,
    }


def ledger_row(message: Message, record: CallFinished | CallFailed) -> ModelCall:
    """The ledger's row of a model call, also of a failed one."""
    call = _ledger_base(message, record.model)
    if isinstance(record, CallFailed):
        call.status, call.latency = record.code, record.latency
        return call
    call.status = record.inference.finish_reason
    call.latency = record.inference.latency
    call.first_token_latency = record.inference.first_token_latency
    add_usage(call, record.inference.usage, record.model)
    return call


def add_usage(call: ModelCall, usage: Usage, model: ModelSpec) -> None:
    """Tokens, the unit prices of now, and the cost."""
    call.input_tokens, call.output_tokens = usage.input_tokens, usage.output_tokens
    call.cached_tokens, call.reasoning_tokens = usage.cached_tokens, usage.reasoning_tokens
    call.confidence = usage.confidence
    call.cost = cost_of(usage, model.prices)
    if model.prices:
        call.input_price, call.output_price = model.prices.input, model.prices.output
        call.cached_input_price = model.prices.cached_input
        call.currency = model.prices.currency


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def sum_costs(costs: list[Decimal | None]) -> Decimal | None:
    """The sum, or None when one part is unknown or there is none: an unknown price is never zero."""
    if not costs or any(cost is None for cost in costs):
        return None
    return sum((cost for cost in costs if cost is not None), Decimal(0))


def _ledger_base(message: Message, model: ModelSpec) -> ModelCall:
    return ModelCall(
        purpose=ModelCall.Purpose.ANSWER,
        app_id=message.conversation.app_id,
        app_config_id=message.app_config_id,
        conversation_id=message.conversation_id,
        message=message,
        caller_id=message.caller_id,
        model_id=model.row_id,
        model_name=model.label,
        confidence=Confidence.UNKNOWN,
        currency="",
    )


def _assistant_message(record: CallFinished) -> dict[str, Any]:
    """What the model said, as the history sends it again; without values that no JSON column takes."""
    message: dict[str, Any] = clean_value(
        {
            "content": record.inference.text,
            "tool_calls": [_stored_call(call) for call in record.calls],
            "additional_kwargs": {
                "reasoning_content": record.inference.reasoning,
                "raw": dict(record.inference.raw),
            },
            "finish_reason": record.inference.finish_reason,
        }
    )
    return message


def _stored_call(call: ToolCallRequest) -> dict[str, Any]:
    return {"id": call.id, "name": call.name, "args": dict(call.arguments or {})}
