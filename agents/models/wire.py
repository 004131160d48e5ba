"""The request body: LangChain messages, tools and parameters as the OpenAI protocol writes them.

What a service wants back is read from an AIMessage's `additional_kwargs`: `reasoning_content`, and `raw`, the
inference's own.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agents.models.inference import InferenceRequest, ModelSpec
from agents.models.quirks import Quirks
from agents.models.schemas import plain_schema
from tools.definition import ToolDefinition

RESERVED = frozenset({"model", "messages", "stream", "stream_options", "tools"})
RENAMED = {"stop_sequences": "stop"}


def request_body(spec: ModelSpec, quirks: Quirks, request: InferenceRequest) -> dict[str, Any]:
    """The JSON body of a streaming chat completion."""
    body: dict[str, Any] = {
        "model": spec.name,
        "messages": _messages(request.messages, quirks),
        "stream": True,
    }
    if quirks.stream_usage:
        body["stream_options"] = {"include_usage": True}
    if request.tools:
        body["tools"] = [_tool(tool) for tool in request.tools]
        if not spec.parallel_tool_calls and quirks.parallel_tool_calls:
            body["parallel_tool_calls"] = False
    parameters = {**spec.parameters, **request.parameters}
    return {
        **body,
        **_parameters(parameters, spec, quirks, has_tools=bool(request.tools)),
        **quirks.extra_body,
    }


def _parameters(
    parameters: Mapping[str, Any], spec: ModelSpec, quirks: Quirks, *, has_tools: bool
) -> dict[str, Any]:
    """Generation parameters by their names on the wire, without those that are unset or not taken."""
    chosen = {name: value for name, value in parameters.items() if value is not None}
    thinking = chosen.pop("thinking", None)
    longest = chosen.pop("max_tokens", None)
    if quirks.temperature_fixed:
        chosen.pop("temperature", None)
    if not (has_tools and quirks.tool_choice):
        chosen.pop("tool_choice", None)
    sent = {
        RENAMED.get(name, name): value for name, value in chosen.items() if name not in RESERVED
    }
    if longest is not None:
        sent[quirks.max_tokens_name] = min(longest, spec.max_output_tokens or longest)
    if thinking is not None:
        sent |= quirks.thinking_on if thinking else quirks.thinking_off
    return sent


def _tool(tool: ToolDefinition) -> dict[str, Any]:
    function = {
        "name": tool.name,
        "description": tool.description,
        "parameters": plain_schema(tool.parameters),
    }
    return {"type": "function", "function": function}


def _messages(messages: Sequence[BaseMessage], quirks: Quirks) -> list[dict[str, Any]]:
    """The messages; reasoning goes back only within the turn that the last human message opened."""
    humans = [at for at, message in enumerate(messages) if isinstance(message, HumanMessage)]
    turn = humans[-1] if humans else 0
    return [
        _message(message, quirks, echoes_reasoning=quirks.echo_reasoning and at > turn)
        for at, message in enumerate(messages)
    ]


def _message(message: BaseMessage, quirks: Quirks, *, echoes_reasoning: bool) -> dict[str, Any]:
    match message:
        case SystemMessage():
            return {"role": quirks.system_role, "content": message.text}
        case AIMessage():
            return _assistant(message, quirks, echoes_reasoning=echoes_reasoning)
        case ToolMessage():
            return _tool_result(message, quirks)
        case HumanMessage():
            return {"role": "user", "content": _user_content(message)}
    raise TypeError(f"No model takes a message of type {message.type!r}.")


def _assistant(message: AIMessage, quirks: Quirks, *, echoes_reasoning: bool) -> dict[str, Any]:
    written: dict[str, Any] = {"role": "assistant", "content": message.text}
    extras = message.additional_kwargs.get("raw", {}).get("extra_content", {})
    calls = [_call(one["id"], one["name"], one["args"], extras) for one in message.tool_calls]
    if calls:
        written["tool_calls"] = calls
    if calls and not message.text:
        written |= {"null": {"content": None}, "empty": {}, "omit": {}}[quirks.empty_content]
        if quirks.empty_content == "omit":
            del written["content"]
    reasoning = message.additional_kwargs.get("reasoning_content")
    if echoes_reasoning and reasoning:
        written["reasoning_content"] = reasoning
    return written


def _call(
    call_id: str | None, name: str, arguments: Mapping[str, Any], extras: Mapping[str | None, Any]
) -> dict[str, Any]:
    function = {"name": name, "arguments": json.dumps(arguments, ensure_ascii=False)}
    call = {"id": call_id, "type": "function", "function": function}
    return call | ({"extra_content": extras[call_id]} if call_id in extras else {})


def _tool_result(message: ToolMessage, quirks: Quirks) -> dict[str, Any]:
    if quirks.tool_result_role == "user":
        return {
            "role": "user",
            "content": f"Result of {message.name or 'the tool'}:\n{message.text}",
        }
    return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.text}


def _user_content(message: HumanMessage) -> str | list[Any]:
    """Text as one string; blocks only where there is more than text."""
    if isinstance(message.content, str):
        return message.content
    if all(isinstance(block, str) or block.get("type") == "text" for block in message.content):
        return message.text
    return [_block(block) for block in message.content]


def _block(block: str | dict[Any, Any]) -> dict[str, Any]:
    if isinstance(block, str):
        return {"type": "text", "text": block}
    if block.get("type") == "image" and "base64" in block:
        source = f"data:{block['mime_type']};base64,{block['base64']}"
        return {"type": "image_url", "image_url": {"url": source}}
    return block
