"""Whatever happened to a history, what is sent keeps the rules that providers insist on (H1 to H10)."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    SystemMessage,
    ToolCall,
    ToolMessage,
)

from agents.history import normalize_history


def call(call_id: str | None, name: str = "clock", **args: Any) -> ToolCall:
    return ToolCall(name=name, args=args, id=call_id, type="tool_call")


def ai(text: str = "", *calls: ToolCall) -> AIMessage:
    return AIMessage(text, tool_calls=list(calls))


def result(call_id: str, content: str = "done") -> ToolMessage:
    return ToolMessage(content, tool_call_id=call_id, name="clock")


def broken_rules(messages: Sequence[BaseMessage]) -> list[str]:
    """The rules that `messages` break: a second, independent reading of the spec."""
    rest = [message for message in messages if not isinstance(message, SystemMessage)]
    answers = [message for message in rest if isinstance(message, AIMessage)]
    ids = [one["id"] for answer in answers for one in answer.tool_calls]
    claims = {
        "H1": len(rest) == len(messages) or rest == list(messages[1:]),
        "H4": all(ids) and len(set(ids)) == len(ids),
        "H8": is_sendable([[m.content, getattr(m, "tool_calls", [])] for m in messages]),
        "H9": not rest or isinstance(rest[0], HumanMessage),
    }
    broken = [rule for rule, holds in claims.items() if not holds]
    return [
        *broken,
        *broken_order(rest),
        *(one for a in answers for one in broken_rules_of_answer(a)),
    ]


def broken_order(messages: Sequence[BaseMessage]) -> list[str]:
    broken: list[str] = []
    open_ids: list[str | None] = []
    for before, message in zip([None, *messages], [*messages, None], strict=True):
        if isinstance(message, ToolMessage):
            if not open_ids or message.tool_call_id != open_ids.pop(0):
                broken.append("H3")
            continue
        if open_ids:
            broken.append("H2")
        if before is not None and message is not None and before.type == message.type:
            broken.append("H10")
        if isinstance(message, AIMessage):
            open_ids = [one["id"] for one in message.tool_calls]
    return broken


def is_sendable(value: Any) -> bool:
    try:
        wire = json.dumps(value, allow_nan=False)
        "".join(strings_of(value)).encode()
    except ValueError:
        return False
    return "\\u0000" not in wire


def broken_rules_of_answer(message: AIMessage) -> list[str]:
    broken = []
    if not str(message.content).strip() and not message.tool_calls:
        broken.append("H5")
    if message.invalid_tool_calls or not all(
        isinstance(one["args"], dict) for one in message.tool_calls
    ):
        broken.append("H6")
    if not all(re.fullmatch("[a-zA-Z0-9_-]{1,64}", one["name"]) for one in message.tool_calls):
        broken.append("H7")
    return broken


def strings_of(value: Any) -> list[str]:
    match value:
        case str():
            return [value]
        case dict():
            return [text for pair in value.items() for one in pair for text in strings_of(one)]
        case list():
            return [text for one in value for text in strings_of(one)]
    return []


TURN = st.lists(
    st.tuples(st.integers(0, 3), st.booleans()), max_size=3
)  # tool rounds: number of calls, whether text stands beside them


@st.composite
def valid_histories(draw: st.DrawFn) -> list[BaseMessage]:
    messages: list[BaseMessage] = [SystemMessage("rules")] if draw(st.booleans()) else []
    ids = iter(range(1_000))
    for turn in draw(st.lists(TURN, min_size=1, max_size=4)):
        messages.append(HumanMessage("question"))
        for count, has_text in turn:
            names = [f"call_{next(ids)}" for _ in range(count)]
            if names:
                messages.append(ai("let me see" if has_text else "", *map(call, names)))
                messages.extend(map(result, names))
        messages.append(ai("answer"))
    return messages


TEXT = st.sampled_from(["", " ", "a", "é\x00", "\ud800", "\ud83d\ude00"])
IDS = st.sampled_from([None, "", "a", "b", "a_2", "c\x00"])
ARGS = st.sampled_from(
    [{}, {"x": 1}, {"x": float("nan")}, {"\ud800": ["\x00", {"y": float("inf")}]}]
)
NAMES = st.sampled_from(["clock", "", "my tool!", "n" * 80, "时钟"])
CALLS = st.builds(
    lambda i, n, a: ToolCall(name=n, args=a, id=i, type="tool_call"), IDS, NAMES, ARGS
)
MESSAGES: st.SearchStrategy[BaseMessage] = st.one_of(
    st.builds(SystemMessage, TEXT),
    st.builds(HumanMessage, TEXT),
    st.builds(lambda text, calls: ai(text, *calls), TEXT, st.lists(CALLS, max_size=3)),
    st.builds(lambda i, text: ToolMessage(text, tool_call_id=i or ""), IDS, TEXT),
)


@given(valid_histories())
def test_a_valid_history_comes_back_as_it_is(messages: list[BaseMessage]) -> None:
    assert broken_rules(messages) == []
    normalized, repairs = normalize_history(messages)
    assert repairs == []
    assert all(old is new for old, new in zip(messages, normalized, strict=True))


@given(valid_histories(), st.integers(0, 40), st.integers(0, 40))
def test_any_cut_of_a_valid_history_becomes_a_valid_one(
    messages: list[BaseMessage], start: int, end: int
) -> None:
    normalized, _ = normalize_history(messages[start:end])
    assert broken_rules(normalized) == []


@given(valid_histories(), st.sets(st.integers(0, 40)))
def test_any_loss_from_a_valid_history_leaves_a_valid_one(
    messages: list[BaseMessage], lost: set[int]
) -> None:
    kept = [message for at, message in enumerate(messages) if at not in lost]
    assert broken_rules(normalize_history(kept)[0]) == []


@settings(max_examples=400)
@given(st.lists(MESSAGES, max_size=8))
def test_any_messages_become_valid_and_stay_as_they_then_are(messages: list[BaseMessage]) -> None:
    before = [message.model_copy(deep=True) for message in messages]
    normalized, _ = normalize_history(messages)
    assert broken_rules(normalized) == []
    again, repairs = normalize_history(normalized)
    assert repairs == []
    assert again == normalized
    assert repr(messages) == repr(before)


def test_a_call_without_a_result_is_told_to_be_interrupted() -> None:
    normalized, repairs = normalize_history(
        [HumanMessage("q"), ai("", call("a"), call("b")), result("b")]
    )
    told = [(one.tool_call_id, one.content) for one in normalized if isinstance(one, ToolMessage)]
    assert told[1] == ("b", "done")
    assert told[0][0] == "a"
    assert json.loads(str(told[0][1]))["error"]["code"] == "interrupted"
    assert repairs == ["The call 'a' had no result; marked as interrupted."]


def test_results_stand_in_the_order_of_their_calls() -> None:
    messages = [HumanMessage("q"), ai("", call("a"), call("b")), result("b", "2"), result("a", "1")]
    normalized, _ = normalize_history(messages)
    assert [message.content for message in normalized[2:]] == ["1", "2"]


def test_a_result_without_its_call_is_dropped() -> None:
    messages = [
        HumanMessage("q"),
        result("x"),
        ai("", call("a")),
        result("a"),
        result("y"),
        result("a"),
    ]
    normalized, _ = normalize_history(messages)
    assert [message.type for message in normalized] == ["human", "ai", "tool"]


def test_a_result_behind_another_message_is_not_its_calls_result() -> None:
    messages = [HumanMessage("q"), ai("", call("a")), HumanMessage("again"), result("a", "late")]
    normalized, _ = normalize_history(messages)
    assert [message.type for message in normalized] == ["human", "ai", "tool", "human"]
    assert "interrupted" in str(normalized[2].content)


def test_the_same_call_under_the_same_id_is_a_replay_and_gets_the_earlier_result() -> None:
    messages = [
        HumanMessage("q"),
        ai("", call("a", x=1)),
        result("a", "first"),
        ai("", call("a", x=1)),
    ]
    normalized, _ = normalize_history(messages)
    assert [(m.tool_call_id, m.content) for m in normalized if isinstance(m, ToolMessage)] == [
        ("a", "first"),
        ("a_2", "first"),
    ]


def test_another_call_under_the_same_id_gets_a_suffix_and_keeps_its_result() -> None:
    messages = [
        HumanMessage("q"),
        ai("", call("a", x=1)),
        result("a", "first"),
        ai("", call("a", x=2)),
        result("a", "second"),
    ]
    normalized, _ = normalize_history(messages)
    assert [(m.tool_call_id, m.content) for m in normalized if isinstance(m, ToolMessage)] == [
        ("a", "first"),
        ("a_2", "second"),
    ]


def test_two_calls_of_one_tool_keep_their_own_results() -> None:
    messages = [HumanMessage("q"), ai("", call("a"), call("b")), result("a", "1"), result("b", "2")]
    assert normalize_history(messages) == (messages, [])


def test_a_call_that_stands_twice_in_one_message_is_one_call() -> None:
    messages = [HumanMessage("q"), ai("", call("a", x=1), call("a", x=1)), result("a")]
    normalized, _ = normalize_history(messages)
    assert isinstance(normalized[1], AIMessage)
    assert len(normalized[1].tool_calls) == 1


def test_a_call_without_an_id_gets_one() -> None:
    normalized, _ = normalize_history([HumanMessage("q"), ai("", call(None), call(""))])
    assert broken_rules(normalized) == []


def test_calls_that_langchain_could_not_read_become_calls() -> None:
    answer = AIMessage(
        "",
        invalid_tool_calls=[
            InvalidToolCall(
                name="clock", args='{"zone": "UTC', id="a", error=None, type="invalid_tool_call"
            ),
            InvalidToolCall(
                name=None, args='{"x": 1}', id="b", error=None, type="invalid_tool_call"
            ),
        ],
        additional_kwargs={"tool_calls": [{"id": "a"}], "signature": "keep"},
    )
    normalized, _ = normalize_history([HumanMessage("q"), answer, result("a"), result("b")])
    assert isinstance(normalized[1], AIMessage)
    assert [(one["name"], one["args"]) for one in normalized[1].tool_calls] == [
        ("clock", {}),
        ("unnamed_tool", {"x": 1}),
    ]
    assert normalized[1].additional_kwargs == {"signature": "keep"}


def test_system_messages_become_one_at_the_start() -> None:
    messages = [HumanMessage("q"), SystemMessage("one"), ai("a"), SystemMessage("two")]
    normalized, _ = normalize_history(messages)
    assert [(message.type, message.content) for message in normalized] == [
        ("system", "one\n\ntwo"),
        ("human", "q"),
        ("ai", "a"),
    ]


def test_neighbours_of_one_role_become_one_message() -> None:
    messages = [HumanMessage("a"), HumanMessage("b"), ai("c"), AIMessageChunk(content="d")]
    normalized, _ = normalize_history(messages)
    assert [message.content for message in normalized] == ["a\n\nb", "c\n\nd"]


def test_blocks_survive_a_merge() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:image/png;base64,AA"}}
    normalized, _ = normalize_history([HumanMessage([image]), HumanMessage("what is it?")])
    assert normalized[0].content == [image, {"type": "text", "text": "what is it?"}]


@pytest.mark.parametrize("content", ["", "  \n", [{"type": "text", "text": " "}], []])
def test_an_answer_without_content_is_dropped(content: Any) -> None:
    normalized, _ = normalize_history([HumanMessage("a"), AIMessage(content), HumanMessage("b")])
    assert [message.content for message in normalized] == ["a\n\nb"]


def test_what_stands_before_the_first_question_is_dropped() -> None:
    messages = [SystemMessage("s"), ai("Hello!"), ai("", call("a")), result("a"), HumanMessage("q")]
    normalized, _ = normalize_history(messages)
    assert [message.type for message in normalized] == ["system", "human"]


def test_provider_signatures_survive() -> None:
    signed = AIMessage("", tool_calls=[call("a")], additional_kwargs={"raw": {"signature": "xyz"}})
    normalized, _ = normalize_history([HumanMessage("q"), signed])
    assert normalized[1].additional_kwargs == {"raw": {"signature": "xyz"}}
