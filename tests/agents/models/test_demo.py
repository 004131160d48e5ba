"""The demo model, in both modes, with the prompts and tools of the real thing."""

import time
from collections.abc import Sequence
from typing import Any

import pytest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agents.config import AgentConfig, AgentMode
from agents.models.demo import SECONDS_PER_SLOW_WORD, WORD
from agents.models.demo_answers import answer_request
from agents.models.demo_zones import zone_in
from agents.models.inference import Confidence, InferenceRequest, ModelSpec, TextDelta
from agents.models.loading import load_client
from agents.outcome import FinishReason
from agents.prompts import build_system_prompt, with_context
from agents.react import react_result, read_call
from memory.summary import write_summary
from memory.token_buffer import Turn
from tests.agents.models.asking import listen
from tools.definition import ToolDefinition
from tools.registry import builtin_tools

SPEC = ModelSpec(kind="demo", name="demo", label="Demo/demo")
TOOLS: tuple[ToolDefinition, ...] = tuple(tool.definition for tool in builtin_tools())
NOW = "2026-11-27T10:00:00+00:00"
TIME = '{"time": "2026-11-27T10:00:00+00:00", "weekday": "Friday", "time_zone": "UTC"}'
BOTH = "What time is it, and what is (17 + 25) * 3?"


def request(
    question: str, *later: BaseMessage, mode: AgentMode = AgentMode.FUNCTION_CALL
) -> InferenceRequest:
    tools = () if mode is AgentMode.PLAIN else TOOLS
    config = AgentConfig(app_name="Demo", config_hash="", mode=mode, model=SPEC, tools=tools)
    system = SystemMessage(build_system_prompt(config, summary=""))
    asked = HumanMessage(with_context(question, now=NOW))
    native = tools if mode is AgentMode.FUNCTION_CALL else ()
    return InferenceRequest(messages=[system, asked, *later], tools=native)


def calls(question: str) -> list[tuple[str, Any]]:
    return [(name, dict(arguments)) for name, arguments in answer_request(request(question)).calls]


async def test_it_streams_word_by_word_and_says_that_it_is_a_demo() -> None:
    started = time.monotonic()
    heard = await listen(load_client(SPEC), request("Hello {there}"))
    assert len(heard.deltas) > 20
    assert heard.text == heard.inference.text
    assert "demo model" in heard.text
    assert "Model providers" in heard.text
    assert "> Hello {there}" in heard.text
    assert "memory-context" not in heard.text
    assert heard.inference.finish_reason is FinishReason.STOP
    assert heard.inference.usage.confidence is Confidence.ESTIMATED
    assert heard.inference.usage.output_tokens > 20
    assert time.monotonic() - started < 10


async def test_it_calls_both_tools_in_one_answer() -> None:
    heard = await listen(load_client(SPEC), request(BOTH))
    assert heard.calls == [("current_time", {}), ("calculator", {"expression": "(17 + 25) * 3"})]
    assert heard.inference.finish_reason is FinishReason.TOOL_CALLS
    assert len({call.id for call in heard.inference.tool_calls}) == 2


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's the time?", [("current_time", {})]),
        ("Time in Asia/Shanghai?", [("current_time", {"time_zone": "Asia/Shanghai"})]),
        ("现在几点？", [("current_time", {})]),
        ("请告诉我时间", [("current_time", {})]),
        ("Calculate 2^10", [("calculator", {"expression": "2 ** 10"})]),
        ("计算 12乘以(3+4)", [("calculator", {"expression": "12 * (3+4)"})]),
        ("12 times 1,000 please", [("calculator", {"expression": "12 * 1000"})]),
        ("how much (is 5 / 2)?", [("calculator", {"expression": "5 / 2"})]),
        ("What happened on 2026-11-27?", []),
        ("I have 3 cats and 4 dogs.", []),
        ("Sometimes I wonder.", []),
    ],
)
def test_it_calls_what_the_question_asks_for(question: str, expected: list[Any]) -> None:
    assert calls(question) == expected


def test_it_calls_only_tools_that_it_was_given() -> None:
    answer = answer_request(request(BOTH, mode=AgentMode.PLAIN))
    assert answer.calls == ()
    assert "demo model" in answer.text


def test_it_answers_with_the_results() -> None:
    asked = AIMessage("", tool_calls=[])
    results = [
        ToolMessage(TIME, tool_call_id="a", name="current_time"),
        ToolMessage("126", tool_call_id="b", name="calculator"),
    ]
    answer = answer_request(request(BOTH, asked, *results))
    assert answer.calls == ()
    assert "**10:00:00** on Friday, 2026-11-27 (UTC)" in answer.text
    assert "`(17 + 25) * 3` = **126**" in answer.text


def test_it_reports_a_tool_that_failed() -> None:
    failed = '{"error": {"code": "denied", "message": "Not allowed here."}}'
    result = ToolMessage(failed, tool_call_id="a", name="current_time")
    text = answer_request(request("time?", AIMessage(""), result)).text
    assert "did not work: Not allowed here." in text


def test_it_answers_chinese_in_chinese() -> None:
    result = ToolMessage(TIME, tool_call_id="a", name="current_time")
    assert "演示模型" in answer_request(request("你好")).text
    assert "星期五" in answer_request(request("现在几点", AIMessage(""), result)).text


@pytest.mark.parametrize(
    ("question", "ending"),
    [
        pytest.param("Tell me a long story", "the quintet**.", id="English"),
        pytest.param("讲个长故事", "五重奏**。", id="Chinese"),
    ],
)
def test_a_story_takes_long_enough_to_stop_it(question: str, ending: str) -> None:
    answer = answer_request(request(question))
    assert answer.text.endswith(ending)
    assert answer.is_slow
    assert 8 < len(WORD.findall(answer.text)) * SECONDS_PER_SLOW_WORD < 15


def follow_react(question: str, results: Sequence[tuple[str, str]]) -> str:
    """The demo's answer after one ReAct round for each result."""
    later: list[BaseMessage] = []
    for name, content in results:
        text = answer_request(request(question, *later, mode=AgentMode.REACT)).text
        call = read_call(text, [tool.name for tool in TOOLS])
        assert call is not None
        assert call.name == name
        later += [AIMessage(text), HumanMessage(react_result(name, content))]
    return answer_request(request(question, *later, mode=AgentMode.REACT)).text


def test_it_follows_the_react_protocol_one_call_at_a_time() -> None:
    text = follow_react(BOTH, [("current_time", TIME), ("calculator", "126")])
    assert "10:00:00" in text
    assert "126" in text


def test_it_obeys_when_the_calls_are_used_up() -> None:
    told = HumanMessage("You have used all the tool calls of this turn. Answer now.")
    for mode in (AgentMode.FUNCTION_CALL, AgentMode.REACT):
        answer = answer_request(request(BOTH, AIMessage("x"), told, mode=mode))
        assert answer.calls == ()
        assert "```json" not in answer.text


def test_it_writes_titles() -> None:
    system = SystemMessage("Write a title for the conversation that begins with the following.")
    exchange = HumanMessage(
        "Question: How do I bake a really good sourdough bread at home?\n\nAnswer: …"
    )
    answer = answer_request(InferenceRequest(messages=[system, exchange]))
    assert answer.text == "How do I bake a really good sourdough…"


async def test_its_summaries_are_accepted_and_grow() -> None:
    async def complete(system: str, user: str) -> str:
        messages = [SystemMessage(system), HumanMessage(user)]
        return answer_request(InferenceRequest(messages=messages)).text

    first = Turn(query="My name is Ada", answer="Nice to meet you, Ada. How can I help you today?")
    second = Turn(query="I like tea", answer="Green or black? Both are fine choices on a cold day.")
    summary = await write_summary(complete, old_summary="", turns=[first])
    assert summary is not None
    assert "My name is Ada" in summary
    longer = await write_summary(complete, old_summary=summary, turns=[second])
    assert longer is not None
    assert "My name is Ada" in longer
    assert "I like tea" in longer


async def test_its_words_add_up_in_every_language() -> None:
    heard = await listen(load_client(SPEC), request("你好，world! 😀 _x_"))
    pieces = [one.text for one in heard.deltas if isinstance(one, TextDelta)]
    assert "".join(pieces) == heard.inference.text
    assert max(map(len, pieces)) < 40


@pytest.mark.parametrize(
    ("question", "zone"),
    [
        pytest.param("What time is it in Tokyo?", "Asia/Tokyo", id="city"),
        pytest.param("The time in new york, please.", "America/New_York", id="two words"),
        pytest.param("What time is it in Europe/Berlin?", "Europe/Berlin", id="IANA name"),
        pytest.param("现在东京几点?", "Asia/Tokyo", id="Chinese"),
        pytest.param("What time is it?", None, id="none"),
    ],
)
def test_a_place_in_the_question_is_the_time_zone_of_the_call(
    question: str, zone: str | None
) -> None:
    assert zone_in(question) == zone
