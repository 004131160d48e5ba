"""The model's turn: ask, stream what may be shown, and decide whether this was thought or answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage
from langchain_core.messages.utils import convert_to_openai_messages
from langgraph.runtime import Runtime

from agents.answer_stream import AnswerStream, Reply
from agents.config import AgentMode
from agents.context import RunContext
from agents.history import normalize_history
from agents.models.inference import InferenceRequest, ToolCallRequest
from agents.outcome import FinishReason, Outcome, RunStatus
from agents.records import CallFinished
from agents.state import AgentState

OUT_OF_CALLS = "You have used all the tool calls of this turn. Answer now with what you know, without a tool call."
CUT_CALL = "The answer was cut before this call was complete. Ask again with shorter arguments."


async def call_llm(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One model call. With tool calls it opens a group; without, it ends the run."""
    context = runtime.context
    may_call = not _is_at_limit(state, context)
    messages = _messages_to_send(state, context, may_call=may_call)
    step = context.next_step("message")
    stream = AnswerStream(context, step, may_call=may_call, position=state["tool_call_count"])
    said = await stream.run(_request(messages, context, may_call=may_call))
    reply = _name_calls(said, context) if may_call else replace(said, calls=())
    _report(context, step, reply, asked=messages, reported=state["reported"])
    if reply.calls:
        return {
            "pending_tool_calls": reply.calls,
            "assistant": _assistant(context, reply),
            "reported": len(messages) + 1,
        }
    return {
        "outcome": _outcome(reply, may_call=may_call),
        "iteration_count": state["iteration_count"] + 1,
    }


def _is_at_limit(state: AgentState, context: RunContext) -> bool:
    limits = context.config.limits
    return context.config.mode is not AgentMode.PLAIN and (
        state["iteration_count"] >= limits.max_iterations
        or state["tool_call_count"] >= limits.max_tool_calls
    )


def _messages_to_send(
    state: AgentState, context: RunContext, *, may_call: bool
) -> list[BaseMessage]:
    """The stack as providers accept it; each repair is noted."""
    stack = state["messages"] if may_call else _asked_to_end(state["messages"])
    messages, repairs = normalize_history(stack)
    for repair in repairs:
        context.note("history_repaired", repair)
    return messages


def _asked_to_end(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The stack with the request to answer now; behind a message of the user it joins that one."""
    *earlier, last = messages
    if isinstance(last, HumanMessage):
        return [*earlier, HumanMessage(f"{last.content}\n\n{OUT_OF_CALLS}")]
    return [*messages, HumanMessage(OUT_OF_CALLS)]


def _request(
    messages: Sequence[BaseMessage], context: RunContext, *, may_call: bool
) -> InferenceRequest:
    config = context.config
    is_native = may_call and config.mode is AgentMode.FUNCTION_CALL
    return InferenceRequest(
        messages=messages, tools=config.tools if is_native else (), parameters=config.parameters
    )


def _name_calls(reply: Reply, context: RunContext) -> Reply:
    """The reply with its calls, and what the provider wants back with them, under ids new in this run.

    None of an answer that was cut may run: the model is told instead.
    """
    ids = {call.id: context.unused_call_id(call.id) for call in reply.calls}
    calls = tuple(replace(call, id=ids[call.id]) for call in reply.calls)
    if reply.inference.finish_reason in (FinishReason.LENGTH, FinishReason.ERROR):
        calls = tuple(replace(call, arguments=None, problem=CUT_CALL) for call in calls)
    raw = dict(reply.inference.raw)
    if extras := raw.get("extra_content"):
        raw["extra_content"] = {ids[one]: extra for one, extra in extras.items() if one in ids}
    return replace(reply, calls=calls, inference=replace(reply.inference, raw=raw))


def _report(
    context: RunContext,
    step: str,
    reply: Reply,
    *,
    asked: Sequence[BaseMessage],
    reported: int,
) -> None:
    context.recorder.emit(
        CallFinished(
            step=step,
            model=context.client.spec,
            inference=reply.inference,
            text=reply.text,
            is_answer=not reply.calls,
            calls=_native_calls(context, reply),
            system_prompt=str(asked[0].content),
            new_messages=_as_json(asked[max(1, reported) :]),
            code=reply.code,
        )
    )


def _native_calls(context: RunContext, reply: Reply) -> tuple[ToolCallRequest, ...]:
    return () if context.config.mode is AgentMode.REACT else reply.calls


def _assistant(context: RunContext, reply: Reply) -> BaseMessage:
    """The assistant's message for the stack; in react mode its text is all there is."""
    if context.config.mode is AgentMode.REACT:
        return AIMessage(reply.inference.text)
    return AIMessage(
        reply.text,
        tool_calls=[
            {"id": call.id, "name": call.name, "args": dict(call.arguments or {})}
            for call in reply.calls
        ],
        additional_kwargs={
            "reasoning_content": reply.inference.reasoning,
            "raw": dict(reply.inference.raw),
        },
    )


def _outcome(reply: Reply, *, may_call: bool) -> Outcome:
    return Outcome(
        status=RunStatus.NORMAL if may_call else RunStatus.ITERATION_LIMIT,
        finish_reason=FinishReason.CONTENT_FILTER
        if reply.is_blocked
        else reply.inference.finish_reason,
    )


def _as_json(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    converted = convert_to_openai_messages(list(messages))
    return converted if isinstance(converted, list) else [converted]
