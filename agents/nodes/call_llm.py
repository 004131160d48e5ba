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
from agents.records import CallFinished, Notice
from agents.state import AgentState

OUT_OF_CALLS = "You have used all the tool calls of this turn. Answer now with what you know, without a tool call."


async def call_llm(state: AgentState, runtime: Runtime[RunContext]) -> dict[str, Any]:
    """One model call. With tool calls it opens a group; without, it ends the run."""
    context = runtime.context
    is_last = _is_at_limit(state, context)
    stack = _asked_to_end(state["messages"]) if is_last else state["messages"]
    messages, repairs = normalize_history(stack)
    for repair in repairs:
        context.recorder.emit(
            Notice(step=context.next_step("notice"), code="history_repaired", text=repair)
        )
    step = context.next_step("message")
    stream = AnswerStream(context, step, may_call=not is_last, position=state["tool_call_count"])
    reply = await stream.run(
        InferenceRequest(
            messages=messages,
            tools=_native_tools(context) if not is_last else (),
            parameters=context.config.parameters,
        )
    )
    if reply.parse_failed:
        context.recorder.emit(
            Notice(
                step=context.next_step("notice"),
                code="react_parse_failed",
                text="The model wrote a tool call that is not valid JSON; it is shown as text.",
            )
        )
    calls = () if is_last else _checked_calls(reply, context)
    context.recorder.emit(
        CallFinished(
            step=step,
            model=context.client.spec,
            inference=reply.inference,
            text=reply.text,
            is_answer=not calls,
            system_prompt=str(messages[0].content),
            new_messages=_as_json(messages[max(1, state["reported"]) :]),
            code=reply.code,
        )
    )
    if calls:
        return {
            "pending_tool_calls": calls,
            "assistant": _assistant(context, reply, calls),
            "reported": len(stack) + 1,
        }
    return {
        "outcome": _outcome(reply, is_last=is_last),
        "iteration_count": state["iteration_count"] + 1,
    }


def _is_at_limit(state: AgentState, context: RunContext) -> bool:
    limits = context.config.limits
    return context.config.mode is not AgentMode.PLAIN and (
        state["iteration_count"] >= limits.max_iterations
        or state["tool_call_count"] >= limits.max_tool_calls
    )


def _native_tools(context: RunContext) -> Sequence[Any]:
    return context.config.tools if context.config.mode is AgentMode.FUNCTION_CALL else ()


def _checked_calls(reply: Reply, context: RunContext) -> tuple[ToolCallRequest, ...]:
    """The calls of a reply under ids that are new in this run.

    None of an answer that was cut may run: the model is told instead.
    """
    calls = tuple(replace(call, id=context.unused_call_id(call.id)) for call in reply.calls)
    if reply.inference.finish_reason not in (FinishReason.LENGTH, FinishReason.ERROR):
        return calls
    problem = "The answer was cut before this call was complete. Ask again with shorter arguments."
    return tuple(replace(call, arguments=None, problem=problem) for call in calls)


def _asked_to_end(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The stack with the request to answer now; behind a message of the user it joins that one."""
    *earlier, last = messages
    if isinstance(last, HumanMessage):
        return [*earlier, HumanMessage(f"{last.content}\n\n{OUT_OF_CALLS}")]
    return [*messages, HumanMessage(OUT_OF_CALLS)]


def _assistant(context: RunContext, reply: Reply, calls: Sequence[ToolCallRequest]) -> BaseMessage:
    """The assistant's message for the stack; in react mode its text is all there is."""
    if context.config.mode is AgentMode.REACT:
        return AIMessage(reply.inference.text)
    return AIMessage(
        reply.text,
        tool_calls=[
            {"id": call.id, "name": call.name, "args": dict(call.arguments or {})} for call in calls
        ],
        additional_kwargs={
            "reasoning_content": reply.inference.reasoning,
            "raw": dict(reply.inference.raw),
        },
    )


def _outcome(reply: Reply, *, is_last: bool) -> Outcome:
    return Outcome(
        status=RunStatus.ITERATION_LIMIT if is_last else RunStatus.NORMAL,
        finish_reason=FinishReason.CONTENT_FILTER
        if reply.is_blocked
        else reply.inference.finish_reason,
    )


def _as_json(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    converted = convert_to_openai_messages(list(messages))
    return converted if isinstance(converted, list) else [converted]
