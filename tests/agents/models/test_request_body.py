"""What is sent to a service."""

from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage
from pydantic import ValidationError

from agents.models.inference import InferenceRequest, ModelSpec
from agents.models.quirks import quirks_of
from agents.models.wire import request_body
from tests.agents.models.asking import QUESTION, ask
from tests.fakes.upstream import Body, UpstreamServer
from tools.definition import ToolDefinition, ToolSource

CLOCK = ToolDefinition(
    name="clock",
    description="Tells the time.",
    parameters={"type": "object", "properties": {"zone": {"type": "string"}}},
    source=ToolSource.BUILTIN,
)
CALL: Any = {"id": "a", "name": "clock", "args": {"zone": "Asia/上海"}}
CALLING = AIMessage(
    "",
    tool_calls=[CALL],
    additional_kwargs={
        "reasoning_content": "I need the time.",
        "raw": {"extra_content": {"a": {"google": {"thought_signature": "s"}}}},
    },
)


def body_of(
    *messages: BaseMessage,
    tools: tuple[ToolDefinition, ...] = (),
    chosen: Body | None = None,
    kind: str = "openai_compatible",
    **spec: Any,
) -> Body:
    built = ModelSpec(kind=kind, name="m", label="P/m", **spec)
    request = InferenceRequest(
        messages=messages or QUESTION.messages, tools=tools, parameters=chosen or {}
    )
    return request_body(built, quirks_of(built), request)


def written(message: BaseMessage, **spec: Any) -> Any:
    return body_of(message, **spec)["messages"][0]


def test_a_plain_question_is_a_short_body() -> None:
    assert body_of() == {
        "model": "m",
        "messages": [{"role": "user", "content": "Hello?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
    }


async def test_the_body_arrives_as_it_was_built(upstream: UpstreamServer) -> None:
    await ask(upstream.url, SystemMessage("Be brief."), HumanMessage("时间 {x}?"))
    assert upstream.bodies[0]["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "时间 {x}?"},
    ]


def test_a_tool_group_is_written_in_the_protocols_form() -> None:
    body = body_of(
        HumanMessage("Time?"), CALLING, ToolMessage("12:00", tool_call_id="a", name="clock")
    )
    function = {"name": "clock", "arguments": '{"zone": "Asia/上海"}'}
    call = {
        "id": "a",
        "type": "function",
        "function": function,
        "extra_content": {"google": {"thought_signature": "s"}},
    }
    assert body["messages"][1:] == [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "a", "content": "12:00"},
    ]


@pytest.mark.parametrize(
    ("mode", "expected"),
    [("null", {"content": None}), ("empty", {"content": ""}), ("omit", {})],
    ids=["null", "empty", "omit"],
)
def test_the_content_beside_calls_follows_the_quirk(mode: str, expected: Body) -> None:
    message = written(CALLING, quirks={"empty_content": mode})
    assert {key: message[key] for key in message if key == "content"} == expected


@pytest.mark.parametrize(
    ("spec", "is_echoed"),
    [
        ({}, False),
        ({"quirks": {"echo_reasoning": True}}, True),
        ({"kind": "deepseek"}, True),
        ({"kind": "deepseek", "quirks": {"echo_reasoning": False}}, False),
    ],
    ids=["by default not", "by quirk", "by kind", "the model wins over the kind"],
)
def test_reasoning_goes_back_only_where_it_must(spec: Body, is_echoed: bool) -> None:
    body = body_of(HumanMessage("Time?"), CALLING, ToolMessage("12", tool_call_id="a"), **spec)
    assert ("reasoning_content" in body["messages"][1]) is is_echoed


def test_reasoning_of_earlier_turns_stays_here() -> None:
    result = ToolMessage("12", tool_call_id="a")
    body = body_of(HumanMessage("1"), CALLING, result, HumanMessage("2"), kind="deepseek")
    assert "reasoning_content" not in body["messages"][1]


def test_images_become_data_urls() -> None:
    image = {"type": "image", "base64": "QUJD", "mime_type": "image/png"}
    message = written(HumanMessage([{"type": "text", "text": "What is it?"}, image]))
    assert message["content"] == [
        {"type": "text", "text": "What is it?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QUJD"}},
    ]


def test_text_blocks_become_one_string() -> None:
    blocks: list[str | dict[Any, Any]] = [{"type": "text", "text": "one "}, "two"]
    assert written(HumanMessage(blocks))["content"] == "one two"


def test_roles_follow_the_quirks() -> None:
    quirks = {"system_role": "developer", "tool_result_role": "user"}
    assert written(SystemMessage("x"), quirks=quirks)["role"] == "developer"
    result = ToolMessage("12", tool_call_id="a", name="clock")
    assert written(result, quirks=quirks) == {"role": "user", "content": "Result of clock:\n12"}


PARAMETERS: dict[str, tuple[Body, Body, Body]] = {
    "the request wins": (
        {"parameters": {"temperature": 1, "top_p": 0.5}},
        {"temperature": 0},
        {"temperature": 0, "top_p": 0.5},
    ),
    "unset ones are not sent": ({"parameters": {"temperature": 1}}, {"temperature": None}, {}),
    "stop sequences": ({}, {"stop_sequences": ["END"]}, {"stop": ["END"]}),
    "the model's limit": ({"max_output_tokens": 100}, {"max_tokens": 500}, {"max_tokens": 100}),
    "the limit's name": ({"kind": "openai"}, {"max_tokens": 5}, {"max_completion_tokens": 5}),
    "fixed temperature": ({"quirks": {"temperature_fixed": True}}, {"temperature": 1}, {}),
    "tool choice without tools": ({}, {"tool_choice": "auto"}, {}),
    "thinking on": (
        {"quirks": {"thinking_on": {"thinking": {"type": "enabled"}}}},
        {"thinking": True},
        {"thinking": {"type": "enabled"}},
    ),
    "thinking off": (
        {"quirks": {"thinking_off": {"enable_thinking": False}}},
        {"thinking": False},
        {"enable_thinking": False},
    ),
    "thinking that nobody knows": ({}, {"thinking": True}, {}),
    "nothing overrides the model": ({}, {"model": "other", "stream": False, "messages": []}, {}),
    "extra body": ({"quirks": {"extra_body": {"n": 1}}}, {}, {"n": 1}),
}


@pytest.mark.parametrize(("spec", "given", "sent"), PARAMETERS.values(), ids=PARAMETERS)
def test_parameters_are_sent_by_their_names_on_the_wire(
    spec: Body, given: Body, sent: Body
) -> None:
    plain = body_of(kind=spec.get("kind", "openai_compatible"))
    assert body_of(chosen=given, **spec) == {**plain, **sent}


def test_usage_is_not_asked_of_services_that_refuse_it() -> None:
    assert "stream_options" not in body_of(quirks={"stream_usage": False})


def test_tools_are_written_and_chosen() -> None:
    body = body_of(tools=(CLOCK,), chosen={"tool_choice": "required"}, parallel_tool_calls=False)
    function = {
        "name": "clock",
        "description": "Tells the time.",
        "parameters": {"type": "object", "properties": {"zone": {"type": "string"}}},
    }
    assert body["tools"] == [{"type": "function", "function": function}]
    assert body["tool_choice"] == "required"
    assert body["parallel_tool_calls"] is False


def test_an_unknown_quirk_is_refused() -> None:
    with pytest.raises(ValidationError, match="no_such"):
        body_of(quirks={"no_such": True})
