"""Tool calls written as text: what is one, what is not, and what readers see while it is written."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.react import ReactOutcome, ReactStream, react_result

TOOLS = ("calculator", "current_time")
CALL = '{"name": "calculator", "args": {"expression": "1+1"}}'
ARGUMENTS = {"expression": "1+1"}


def run(output: str, *, size: int = 1, position: int = 0) -> tuple[str, ReactOutcome]:
    """All that was shown, and the outcome, when `output` comes in pieces of `size` characters."""
    stream = ReactStream(TOOLS, position=position)
    pieces = [output[at : at + size] for at in range(0, len(output), size)]
    shown = "".join(map(stream.feed, pieces))
    outcome = stream.finish()
    return shown + outcome.text, outcome


RUNS: dict[str, tuple[str, str, dict[str, Any]]] = {
    "fence tagged json": (f"```json\n{CALL}\n```", "calculator", ARGUMENTS),
    "fence untagged": (f"```\n{CALL}\n```", "calculator", ARGUMENTS),
    "fence tagged in capitals": (f"```JSON\n{CALL}\n```", "calculator", ARGUMENTS),
    "blank lines before the fence": (f"\n\n  ```json\n{CALL}\n```", "calculator", ARGUMENTS),
    "byte order mark before the fence": (f"\ufeff```json\n{CALL}\n```", "calculator", ARGUMENTS),
    "all on one line": (f"```json {CALL} ```", "calculator", ARGUMENTS),
    "all on one line, no spaces": (f"```json{CALL}```", "calculator", ARGUMENTS),
    "windows line ends": (f"```json\r\n{CALL}\r\n```\r\n", "calculator", ARGUMENTS),
    "four backticks": (f"````json\n{CALL}\n````", "calculator", ARGUMENTS),
    "fence never closed": (f"```json\n{CALL}", "calculator", ARGUMENTS),
    "pretty printed": (
        '```json\n{\n  "name": "calculator",\n  "args": {\n    "expression": "1+1"\n  }\n}\n```',
        "calculator",
        ARGUMENTS,
    ),
    "no parameters": (
        '```json\n{"name": "current_time", "args": {}}\n```',
        "current_time",
        {},
    ),
    "keys as in native calls": (
        '```json\n{"name": "current_time", "arguments": {"time_zone": "UTC"}}\n```',
        "current_time",
        {"time_zone": "UTC"},
    ),
    "inside tool_call": (f'```json\n{{"tool_call": {CALL}}}\n```', "calculator", ARGUMENTS),
    "action and action_input": (
        '```\n{"action": "calculator", "action_input": {"expression": "1+1"}}\n```',
        "calculator",
        ARGUMENTS,
    ),
    "tag": (f"<tool_call>\n{CALL}\n</tool_call>", "calculator", ARGUMENTS),
    "tag with keys as in native calls": (
        '<tool_call>{"name": "calculator", "arguments": {"expression": "1+1"}}</tool_call>',
        "calculator",
        ARGUMENTS,
    ),
    "tag in capitals": (f"<TOOL_CALL>{CALL}</TOOL_CALL>", "calculator", ARGUMENTS),
    "tag never closed": (f"<tool_call>\n{CALL}\n", "calculator", ARGUMENTS),
    "two tags: the first counts": (
        f"<tool_call>\n{CALL}\n</tool_call>\n<tool_call>\n{{}}\n</tool_call>",
        "calculator",
        ARGUMENTS,
    ),
    "an invented observation behind it": (
        f"```json\n{CALL}\n```\nObservation: 3\n\nThe answer is 3.",
        "calculator",
        ARGUMENTS,
    ),
    "a fence inside a string": (
        '```json\n{"name": "calculator", "args": {"expression": "a```b"}}\n```',
        "calculator",
        {"expression": "a```b"},
    ),
    "a brace and a fence inside a string": (
        '```json\n{"name": "calculator", "args": {"expression": "}\\n```\\n{"}}\n```',
        "calculator",
        {"expression": "}\n```\n{"},
    ),
    "a raw line break inside a string": (
        '```json\n{"name": "calculator", "args": {"expression": "1\n+1"}}\n```',
        "calculator",
        {"expression": "1\n+1"},
    ),
    "other keys beside": (
        '```json\n{"thought": "I must add.", "name": "calculator", "args": {"expression": "1+1"}}\n```',
        "calculator",
        ARGUMENTS,
    ),
    "text of other scripts": (
        '```json\n{"name": "calculator", "args": {"expression": "一加一"}}\n```',
        "calculator",
        {"expression": "一加一"},
    ),
}


@pytest.mark.parametrize(("output", "name", "arguments"), RUNS.values(), ids=RUNS)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_an_output_that_is_a_call_runs_and_shows_nothing(
    output: str, name: str, arguments: dict[str, Any], size: int
) -> None:
    shown, outcome = run(output, size=size)
    assert outcome.call is not None
    assert (outcome.call.name, outcome.call.arguments) == (name, arguments)
    assert json.loads(outcome.call.raw_arguments) == arguments
    assert (shown, outcome.parse_failed) == ("", False)


PLAIN = {
    "ordinary answer": "The answer is 2.",
    "nothing": "",
    "blank": "  \n ",
    "JSON in a fence inside an answer": f"Here is how:\n\n```json\n{CALL}\n```",
    "JSON alone": CALL,
    "a call behind a word": f"Sure! ```json\n{CALL}\n```",
    "a thought before the call": f"Thought: I need to add.\n```json\n{CALL}\n```",
    "tag inside an answer": f"Use <tool_call>{CALL}</tool_call> to call.",
    "a fence of another language": f"```python\n{CALL}\n```",
    "a fence of a longer tag": f"```json5\n{CALL}\n```",
    "a fence with code": "```\nfor (;;) {}\n```\nThat never ends.",
    "a JSON answer": '```json\n{"city": "Paris", "inhabitants": 2102650}\n```\nThat is it.',
    "a JSON answer with a name": '```json\n{"name": "Ada", "args": {"born": 1815}}\n```',
    "the action of another protocol": '```json\n{"action": "Final Answer", "action_input": "2"}\n```',
    "a name that is no string": '```json\n{"name": ["calculator"], "args": {}}\n```',
    "a list": f"```json\n[{CALL}]\n```",
    "an unfinished fence": "```js",
    "inline code": "`calculator` is what you need.",
    "two backticks": "``x``",
    "a comparison": "<3 you too",
    "another tag": "<think>no</think>",
    "code that is no JSON": "```\n{ margin: 0 }\n```",
    "a JSON answer with a comment": '```json\n{"port": 80 // default\n}\n```',
}


@pytest.mark.parametrize("output", PLAIN.values(), ids=PLAIN)
@pytest.mark.parametrize("size", [1, 3, 10_000])
def test_an_ordinary_answer_never_runs_and_is_shown_whole(output: str, size: int) -> None:
    shown, outcome = run(output, size=size)
    assert (shown, outcome.call, outcome.parse_failed) == (output, None, False)


BROKEN = {
    "cut": '```json\n{"name": "calculator", "args": {"expression": "1+',
    "cut, but fenced": '```json\n{"name": "calculator", "args": {"expression": "1+1"}\n```',
    "comma at the end": '```json\n{"name": "calculator", "args": {"expression": "1+1"},}\n```',
    "single quotes": "```json\n{'name': 'calculator', 'args': {'expression': '1+1'}}\n```",
    "NaN": '```json\n{"name": "calculator", "args": {"expression": NaN}}\n```',
    "arguments are a string": '```json\n{"name": "calculator", "args": "1+1"}\n```',
    "arguments are a list": '```json\n{"name": "calculator", "args": [1]}\n```',
    "no arguments": '```json\n{"name": "calculator"}\n```',
    "two objects": f"```json\n{CALL}\n{CALL}\n```",
    "text behind the object": f"```json\n{CALL} please\n```",
    "tag around a name": "<tool_call>calculator</tool_call>",
    "tag around broken JSON": '<tool_call>{"name": "calculator"</tool_call>',
    "nested too deep": '```json\n{"name": "calculator", "args": ' + '{"a":' * 100_000,
}


@pytest.mark.parametrize("output", BROKEN.values(), ids=BROKEN)
def test_a_broken_call_is_a_plain_message_and_reported(output: str) -> None:
    shown, outcome = run(output, size=10)
    assert (shown, outcome.call, outcome.parse_failed) == (output, None, True)


def test_what_may_become_a_fence_is_held_back_then_let_go() -> None:
    stream = ReactStream(TOOLS)
    assert stream.feed("``") == ""
    assert stream.feed("`") == ""
    assert stream.feed("js") == ""
    assert stream.feed(" x") == "```js x"
    assert stream.feed(" and `more`") == " and `more`"


def test_what_may_become_a_tag_is_held_back_then_let_go() -> None:
    stream = ReactStream(TOOLS)
    assert stream.feed("<tool") == ""
    assert stream.feed("box>") == "<toolbox>"


def test_an_ordinary_answer_is_not_delayed() -> None:
    stream = ReactStream(TOOLS)
    assert stream.feed("The") == "The"
    assert stream.feed(" ```json\n{") == " ```json\n{"


def test_a_fenced_answer_is_let_go_as_soon_as_its_fence_closes() -> None:
    stream = ReactStream(TOOLS)
    assert stream.feed('```json\n{"a": 1}\n') == ""
    assert stream.feed("```") == '```json\n{"a": 1}\n```'
    assert stream.feed("\nMore.") == "\nMore."


def test_nothing_behind_a_call_is_shown() -> None:
    stream = ReactStream(TOOLS)
    assert stream.feed(f"```json\n{CALL}\n```") == ""
    assert stream.feed("\nThe result is 5.") == ""


def test_equal_calls_of_one_run_have_different_ids() -> None:
    first, again, second = (run(f"```json\n{CALL}\n```", position=at)[1].call for at in (0, 0, 1))
    assert first is not None
    assert again is not None
    assert second is not None
    assert first.id == again.id
    assert first.id != second.id
    assert first.id.startswith("call_")
    assert len(first.id) == len("call_") + 24


PIECES = st.sampled_from(
    ["`", "```", "json", "\n", "{", "}", '"name"', ": ", CALL, "<tool_call>", "</tool_call>", "a"]
)


@given(st.lists(PIECES, max_size=12), st.lists(st.integers(1, 9), min_size=1, max_size=5))
def test_how_an_output_is_cut_into_pieces_changes_nothing(
    parts: list[str], sizes: list[int]
) -> None:
    output = "".join(parts)
    whole, expected = run(output, size=max(1, len(output)))
    stream, shown, at, turn = ReactStream(TOOLS), "", 0, 0
    while at < len(output):
        size = sizes[turn % len(sizes)]
        shown += stream.feed(output[at : at + size])
        at, turn = at + size, turn + 1
    outcome = stream.finish()
    assert (shown + outcome.text, outcome.call) == (whole, expected.call)
    assert outcome.parse_failed == expected.parse_failed
    assert whole == ("" if expected.call else output)


def test_a_result_is_told_with_its_tool_and_its_content_unchanged() -> None:
    told = react_result("calculator", "{2} {{x}}")
    assert "calculator" in told
    assert "{2} {{x}}" in told
