"""What the demo model says, and when it calls which tool."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from langchain_core.messages import BaseMessage, HumanMessage, SystemMessage, ToolMessage

from agents.models.demo_texts import CHINESE, ENGLISH, Texts
from agents.models.demo_zones import zone_in
from agents.models.inference import InferenceRequest
from memory.fence import scrub

Call = tuple[str, Mapping[str, Any]]

CHAT_PROMPT = "# Identity"
REACT_SECTION = "# How to call a tool"
LISTED_TOOL = re.compile(r"^- ([\w-]+): ", re.MULTILINE)
RESULT = re.compile(r"Result of ([\w-]+):\n(.*?)(?:\n\nGo on:|\n\nYou have used|\Z)", re.DOTALL)
OUT_OF_CALLS = re.compile(r"^You have used all the tool calls", re.MULTILINE)
CHINESE_CHARACTER = re.compile(r"[\u4e00-\u9fff]")
ASKS_TIME = re.compile(
    r"\b(?:time|clock|date|today|weekday)\b|几点|时间|日期|时刻|星期几|几号", re.IGNORECASE
)
ASKS_STORY = re.compile(r"\b(?:tell|write)\b.*\bstory\b|故事", re.IGNORECASE | re.DOTALL)
ISO_DATE = re.compile(r"\b\d{4}-\d{1,2}-\d{1,2}\b")
SPOKEN_SIGNS = {
    "plus": "+",
    "minus": "-",
    "times": "*",
    "multiplied by": "*",
    "divided by": "/",
    "加上": "+",
    "减去": "-",
    "乘以": "*",
    "除以": "/",
    "加": "+",
    "减": "-",
    "乘": "*",
    "×": "*",
    "÷": "/",
    "^": "**",
}
SPOKEN = re.compile(
    r"(?<=[\d)])\s*(" + "|".join(map(re.escape, SPOKEN_SIGNS)) + r")\s*(?=[\d(])", re.IGNORECASE
)
EXPRESSION = re.compile(r"[\d(][\d\s.()+\-*/%]*[\d)]")
OPERATION = re.compile(r"[\d)]\s*(?:\*\*|//|[+\-*/%])\s*[\d(]")
LONGEST_TITLE = 40
LONGEST_SUMMARY_LINE = 80


@dataclass(frozen=True, kw_only=True)
class DemoAnswer:
    """Text, and native calls if it makes any; a ReAct call is text. What is told slowly can be stopped."""

    text: str
    calls: Sequence[Call] = ()
    is_slow: bool = False


def answer_request(request: InferenceRequest) -> DemoAnswer:
    """What the demo model says to a request."""
    system = "\n".join(m.text for m in request.messages if isinstance(m, SystemMessage))
    if not request.tools and CHAT_PROMPT not in system and "summar" in system:
        return DemoAnswer(text=_summary(_newest_text(request)))
    if not request.tools and CHAT_PROMPT not in system and "title" in system:
        return DemoAnswer(text=_title(_newest_text(request)))
    return _answer_question(request, react_tools=_react_tools(system))


def _answer_question(request: InferenceRequest, *, react_tools: frozenset[str]) -> DemoAnswer:
    native = {tool.name for tool in request.tools}
    question, later = _split_at_question(request.messages)
    texts = CHINESE if CHINESE_CHARACTER.search(question) else ENGLISH
    results = _results(later)
    may_call = not any(OUT_OF_CALLS.search(message.text) for message in later)
    wanted = [call for call in _wanted_calls(question) if call[0] in native | react_tools]
    missing = [call for call in wanted if call[0] not in results] if may_call else []
    if missing and native:
        return DemoAnswer(text=texts.looking_up, calls=missing)
    if missing:
        return DemoAnswer(text=_react_call(*missing[0]))
    if results:
        return DemoAnswer(text=_tell_results(results, dict(wanted), texts))
    if ASKS_STORY.search(question):
        return DemoAnswer(text=texts.story, is_slow=True)
    return DemoAnswer(
        text=texts.introduction(" ".join(question.split())[:200], bool(native | react_tools))
    )


def _react_tools(system: str) -> frozenset[str]:
    _, _, protocol = system.partition(REACT_SECTION)
    return frozenset(LISTED_TOOL.findall(protocol))


def _split_at_question(messages: Sequence[BaseMessage]) -> tuple[str, Sequence[BaseMessage]]:
    """The newest message of the user, and what came after it (results in either mode)."""
    for at in range(len(messages) - 1, -1, -1):
        message = messages[at]
        is_platform = RESULT.match(message.text) or OUT_OF_CALLS.match(message.text)
        if isinstance(message, HumanMessage) and not is_platform:
            return scrub(message.text).strip(), messages[at:]
    return "", messages


def _results(messages: Sequence[BaseMessage]) -> dict[str, str]:
    """Tool results by tool name, newest last."""
    results: dict[str, str] = {}
    for message in messages:
        if isinstance(message, ToolMessage):
            results[message.name or "tool"] = message.text
        elif isinstance(message, HumanMessage):
            results |= dict(RESULT.findall(message.text))
    return results


def _wanted_calls(question: str) -> list[Call]:
    calls: list[Call] = []
    if ASKS_TIME.search(question):
        zone = zone_in(question)
        calls.append(("current_time", {"time_zone": zone} if zone else {}))
    if expression := _expression(question):
        calls.append(("calculator", {"expression": expression}))
    return calls


def _expression(question: str) -> str:
    """The longest arithmetic expression in the question, or nothing."""
    plain = SPOKEN.sub(
        lambda sign: f" {SPOKEN_SIGNS[sign[1].lower()]} ", ISO_DATE.sub(" ", question)
    )
    plain = re.sub(r"(?<=\d),(?=\d{3}\b)", "", plain)
    found = [_balanced(one.strip()) for one in EXPRESSION.findall(plain) if OPERATION.search(one)]
    return max(found, key=len, default="")


def _balanced(expression: str) -> str:
    """The expression without parentheses that the sentence, not the sum, has opened."""
    while expression.count("(") > expression.count(")") and expression.startswith("("):
        expression = expression[1:].strip()
    while expression.count(")") > expression.count("(") and expression.endswith(")"):
        expression = expression[:-1].strip()
    return expression


def _react_call(name: str, arguments: Mapping[str, Any]) -> str:
    call = json.dumps({"name": name, "args": arguments}, ensure_ascii=False)
    return f"```json\n{call}\n```"


def _tell_results(
    results: Mapping[str, str], arguments: Mapping[str, Mapping[str, Any]], texts: Texts
) -> str:
    lines = [
        _tell(name, content, arguments.get(name, {}), texts) for name, content in results.items()
    ]
    return "\n".join([*lines, "", texts.footer])


def _tell(name: str, content: str, arguments: Mapping[str, Any], texts: Texts) -> str:
    parsed = _parse(content)
    match name, parsed:
        case _, {"error": {"message": str() as message}}:
            return texts.failure(name, message)
        case "current_time", {
            "time": str() as moment,
            "weekday": str() as weekday,
            "time_zone": zone,
        }:
            return texts.clock(moment, weekday, str(zone))
        case "calculator", _:
            return texts.calculation(str(arguments.get("expression", "")), content.strip())
    return texts.result(name, content.strip())


def _parse(content: str) -> Any:
    try:
        return json.loads(content)
    except ValueError:
        return None


def _newest_text(request: InferenceRequest) -> str:
    return request.messages[-1].text


def _title(exchange: str) -> str:
    """The question, cut at a word."""
    question = exchange.removeprefix("Question:").split("\n\nAnswer:")[0]
    words = " ".join(question.split())
    if len(words) <= LONGEST_TITLE:
        return words
    return words[:LONGEST_TITLE].rsplit(" ", 1)[0] + "…"


def _summary(material: str) -> str:
    """What was known, and the questions: one line each, shorter than the material."""
    known = re.search(r"Old summary:\n(.*?)(?:\n\nUser:|\Z)", material, re.DOTALL)
    asked = re.findall(r"^User:\n(.*)$", material, re.MULTILINE)
    lines = [known[1].strip()] if known else []
    return "\n".join([*lines, *(f"Asked: {one[:LONGEST_SUMMARY_LINE]}" for one in asked)])
