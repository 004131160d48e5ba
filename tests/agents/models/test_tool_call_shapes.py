"""Tool calls, in the shapes in which services stream them."""

import json
from typing import Any

import pytest
from langchain_core.messages import AIMessage, HumanMessage

from agents.outcome import FinishReason
from tests.agents.models.asking import ask
from tests.fakes.upstream import (
    Answer,
    Body,
    UpstreamServer,
    chunk,
    events,
)

STOP = chunk(finish="stop")
CALLS = chunk(finish="tool_calls")
LONDON, PARIS = {"city": "London"}, {"city": "Paris"}


def fragment(index: Any = 0, call_id: Any = None, name: Any = None, arguments: Any = None) -> Body:
    """A tool-call fragment without the keys that are None; "null" stands for null."""
    function = {"name": name, "arguments": arguments}
    keys: Body = {"index": index, "id": call_id, "function": _present(function)}
    return _present(keys)


def calling(*fragments: Body, finish: Body = CALLS) -> Answer:
    """One chunk a fragment."""
    return events(*(chunk({"tool_calls": [one]}) for one in fragments), finish)


def _present(content: Body) -> Body:
    kept = {key: value for key, value in content.items() if value is not None and value != {}}
    return {key: None if value == "null" else value for key, value in kept.items()}


CALL_SHAPES: dict[str, tuple[Answer, list[tuple[str, Any]]]] = {
    "split over chunks": (
        calling(
            fragment(0, "a", "weather", ""),
            fragment(0, arguments='{"city": '),
            fragment(0, arguments='"London"}'),
        ),
        [("weather", LONDON)],
    ),
    "9 index missing, whole": (
        calling(
            fragment(None, "a", "weather", json.dumps(LONDON)),
            fragment(None, "b", "weather", json.dumps(PARIS)),
        ),
        [("weather", LONDON), ("weather", PARIS)],
    ),
    "9 index null, split": (
        calling(
            fragment("null", "a", "weather", '{"city":'), fragment("null", arguments='"London"}')
        ),
        [("weather", LONDON)],
    ),
    "9 index and id missing, two calls": (
        calling(
            fragment(None, None, "weather", json.dumps(LONDON)),
            fragment(None, None, "clock", "{}"),
        ),
        [("weather", LONDON), ("clock", {})],
    ),
    "10 index as string": (
        calling(fragment("0", "a", "weather", '{"city":'), fragment("0", arguments='"London"}')),
        [("weather", LONDON)],
    ),
    "10 index starting at 1": (
        calling(fragment(1, "a", "weather", json.dumps(LONDON)), fragment(2, "b", "clock", "{}")),
        [("weather", LONDON), ("clock", {})],
    ),
    "11 parallel calls all at index 0": (
        calling(
            fragment(0, "a", "weather", '{"city":'),
            fragment(0, arguments='"London"}'),
            fragment(0, "b", "weather", '{"city":'),
            fragment(0, arguments='"Paris"}'),
        ),
        [("weather", LONDON), ("weather", PARIS)],
    ),
    "11 parallel calls at index 0 without ids": (
        calling(
            fragment(0, None, "weather", json.dumps(LONDON)),
            fragment(0, None, "weather", json.dumps(PARIS)),
            fragment(0, None, "clock", "{}"),
        ),
        [("weather", LONDON), ("weather", PARIS), ("clock", {})],
    ),
    "11 interleaved by index": (
        calling(
            fragment(0, "a", "weather", '{"city":'),
            fragment(1, "b", "weather", '{"city":'),
            fragment(0, arguments='"London"}'),
            fragment(1, arguments='"Paris"}'),
        ),
        [("weather", LONDON), ("weather", PARIS)],
    ),
    "12 id empty": (
        calling(fragment(0, "", "weather", '{"city":'), fragment(0, "", None, '"London"}')),
        [("weather", LONDON)],
    ),
    "12 id in every chunk": (
        calling(
            fragment(0, "a", "weather", '{"city":'),
            fragment(0, "a", None, '"London"}'),
            fragment(0, "a", None, ""),
        ),
        [("weather", LONDON)],
    ),
    "12 id that comes late": (
        calling(fragment(0, None, "weather", ""), fragment(0, "a", "weather", json.dumps(LONDON))),
        [("weather", LONDON)],
    ),
    "12 another id in every chunk": (
        calling(fragment(0, "a", "weather", '{"city":'), fragment(0, "b", None, '"London"}')),
        [("weather", LONDON)],
    ),
    "13 name in every chunk": (
        calling(
            fragment(0, "a", "weather", '{"city":'),
            fragment(0, None, "weather", '"London"}'),
            fragment(0, None, "weather", ""),
        ),
        [("weather", LONDON)],
    ),
    "14 name null later": (
        calling(fragment(0, "a", "weather", '{"city":'), fragment(0, None, "null", '"London"}')),
        [("weather", LONDON)],
    ),
    "14 function missing": (
        calling({"index": 0, "id": "a", "name": "weather", "arguments": json.dumps(LONDON)}),
        [("weather", LONDON)],
    ),
    "14 fragment null, list missing": (
        events(
            chunk({"tool_calls": [None]}),
            chunk({"tool_calls": fragment(0, "a", "weather", json.dumps(LONDON))}),
            CALLS,
        ),
        [("weather", LONDON)],
    ),
    "15 arguments as object": (
        calling(fragment(0, "a", "weather", LONDON)),
        [("weather", LONDON)],
    ),
    "16 arguments null": (calling(fragment(0, "a", "clock", "null")), [("clock", {})]),
    "16 arguments empty": (calling(fragment(0, "a", "clock", "")), [("clock", {})]),
    "16 arguments missing": (calling(fragment(0, "a", "clock")), [("clock", {})]),
    "17 double-encoded": (
        calling(fragment(0, "a", "weather", json.dumps(json.dumps(LONDON)))),
        [("weather", LONDON)],
    ),
    "17 single quotes": (
        calling(fragment(0, "a", "weather", "{'city': 'London'}")),
        [("weather", None)],
    ),
    "17 array": (calling(fragment(0, "a", "weather", '["London"]')), [("weather", None)]),
    "17 two objects glued": (
        calling(fragment(0, "a", "weather", json.dumps(LONDON) + json.dumps(PARIS))),
        [("weather", None)],
    ),
    "17 NaN": (calling(fragment(0, "a", "weather", '{"city": NaN}')), [("weather", None)]),
    "17 deep nesting": (calling(fragment(0, "a", "weather", "[" * 100_000)), [("weather", None)]),
    "18 cut by length": (
        calling(fragment(0, "a", "weather", '{"city": "Lon'), finish=chunk(finish="length")),
        [("weather", None)],
    ),
    "18 complete, but cut by length": (
        calling(fragment(0, "a", "weather", json.dumps(LONDON)), finish=chunk(finish="length")),
        [("weather", None)],
    ),
    "19 finish reason stop with calls": (
        calling(fragment(0, "a", "clock", "{}"), finish=STOP),
        [("clock", {})],
    ),
    "29 call as text": (
        events(
            chunk({"content": '<tool_call>{"name": "clock", "arguments": {}}</tool_call>'}), STOP
        ),
        [],
    ),
    "33 legacy function_call": (
        events(
            chunk({"function_call": {"name": "weather", "arguments": '{"city":'}}),
            chunk({"function_call": {"arguments": '"London"}'}}),
            chunk(finish="function_call"),
        ),
        [("weather", LONDON)],
    ),
    "35 full message as last chunk": (
        events(
            chunk({"tool_calls": [fragment(0, "a", "weather", json.dumps(LONDON))]}),
            {
                "choices": [
                    {
                        "index": 0,
                        "message": {"tool_calls": [fragment(None, "a", "weather", LONDON)]},
                        "finish_reason": "tool_calls",
                    }
                ]
            },
        ),
        [("weather", LONDON)],
    ),
}


@pytest.mark.parametrize(("answer", "calls"), CALL_SHAPES.values(), ids=CALL_SHAPES)
async def test_tool_calls_are_put_together(
    upstream: UpstreamServer, answer: Answer, calls: list[tuple[str, Any]]
) -> None:
    upstream.script(answer)
    heard = await ask(upstream.url)
    assert heard.calls == calls
    ids = [call.id for call in heard.inference.tool_calls]
    assert all(ids)
    assert len(set(ids)) == len(ids)


async def test_unusable_arguments_come_with_words_for_the_model(upstream: UpstreamServer) -> None:
    upstream.script(calling(fragment(0, "a", "weather", '["London"]')))
    (call,) = (await ask(upstream.url)).inference.tool_calls
    assert call.raw_arguments == '["London"]'
    assert "an array, not a JSON object" in call.problem


async def test_calls_decide_the_finish_reason(upstream: UpstreamServer) -> None:
    upstream.script(calling(fragment(0, "a", "clock", "{}"), finish=STOP))
    assert (await ask(upstream.url)).inference.finish_reason is FinishReason.TOOL_CALLS


async def test_made_up_ids_are_the_same_for_the_same_answer(upstream: UpstreamServer) -> None:
    upstream.script(*[calling(fragment(0, None, "clock", "{}"))] * 2)
    first, second = await ask(upstream.url), await ask(upstream.url)
    assert first.inference.tool_calls[0].id == second.inference.tool_calls[0].id


async def test_made_up_ids_of_equal_calls_differ_from_round_to_round(
    upstream: UpstreamServer,
) -> None:
    upstream.script(*[calling(fragment(0, None, "clock", "{}"))] * 2)
    question = HumanMessage("Time?")
    first = await ask(upstream.url, question)
    second = await ask(upstream.url, question, AIMessage("12:00"), question)
    assert first.inference.tool_calls[0].id != second.inference.tool_calls[0].id


@pytest.mark.parametrize("reason", ["length", "max_tokens", "error"])
async def test_no_call_of_a_cut_answer_can_run(upstream: UpstreamServer, reason: str) -> None:
    first, second = fragment(0, "a", "clock", "{}"), chunk(finish="tool_calls")
    upstream.script(
        events(chunk({"tool_calls": [first]}), chunk(finish=reason), second), calling(first)
    )
    (cut,) = (await ask(upstream.url)).inference.tool_calls
    (whole,) = (await ask(upstream.url)).inference.tool_calls
    assert (cut.arguments, whole.arguments) == (None, {})
    assert "was cut" in cut.problem


async def test_signatures_of_calls_are_kept_for_the_way_back(upstream: UpstreamServer) -> None:
    signature = {"google": {"thought_signature": "abc"}}
    signed = fragment(0, "a", "clock", "{") | {"extra_content": signature}
    upstream.script(calling(signed, fragment(0, arguments="}")))
    assert (await ask(upstream.url)).inference.raw == {"extra_content": {"a": signature}}
