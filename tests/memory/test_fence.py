"""Fences mark background for the model and never reach a reader, however they are repeated."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.fence import HEADER, MAX_HELD, StreamScrubber, fence, scrub

SECRET = "the user's cat is called Mimi"

REPEATED = {
    "as it was sent": fence(SECRET, "a1b2"),
    "capitals": f'<MEMORY-CONTEXT ID="x">{SECRET}</MEMORY-CONTEXT>',
    "mixed case": f"<Memory-Context>{SECRET}</memory-CONTEXT>",
    "no attribute": f"<memory-context>{SECRET}</memory-context>",
    "many attributes": f"<memory-context id='1' class=\"a b\"\n data-x>{SECRET}</memory-context>",
    "a long attribute": f'<memory-context id="{"x" * 500}">{SECRET}</memory-context>',
    "a bracket in an attribute": f'<memory-context id="a>b">{SECRET}</memory-context>',
    "blanks in the tags": f"< memory-context >{SECRET}</ memory-context >",
    "nested": f"<memory-context>a<memory-context>b</memory-context>{SECRET}</memory-context>",
    "full width": f"＜ｍｅｍｏｒｙ－ｃｏｎｔｅｘｔ＞{SECRET}＜／ｍｅｍｏｒｙ－ｃｏｎｔｅｘｔ＞",
    "zero width inside": f"<mem\u200bory-context>{SECRET}</memory\u2060-context>",
    "a bracket before": f"<<memory-context>{SECRET}</memory-context>",
    "line breaks": f"<memory-context\n>\n{SECRET}\n</memory-context\n>",
    "other tags inside": f"<memory-context><b>{SECRET}</b> 1 < 2</memory-context>",
}


@pytest.mark.parametrize("repeated", REPEATED.values(), ids=REPEATED)
def test_a_repeated_fence_is_cut_out_and_the_rest_stays(repeated: str) -> None:
    assert scrub(f"Before. {repeated}After.") in ("Before. After.", "Before. <After.")


@pytest.mark.parametrize("repeated", REPEATED.values(), ids=REPEATED)
def test_a_fence_without_end_takes_the_rest_with_it(repeated: str) -> None:
    unclosed = re.sub(r"[<＜][/／].*", "", repeated, flags=re.DOTALL)
    assert SECRET in unclosed or "nested" in unclosed or "b" in unclosed
    assert SECRET not in scrub(f"Before. {unclosed} {SECRET}")


def test_a_closing_tag_alone_is_removed() -> None:
    assert scrub("a</memory-context>b") == "ab"


def test_an_empty_tag_hides_nothing_behind_it() -> None:
    assert scrub("a<memory-context/>b<memory-context id='1' />c") == "abc"


@pytest.mark.parametrize(
    "text",
    [
        "1 < 2 and 3 > 2",
        "<memory>",
        "<memory-contexts>x</memory-contexts>",
        "memory-context",
        "a <b>bold</b> word",
        "if (a<b) { c<<d; }",
        "<",
        "ends with <memory-con",
        "＜日本語＞",
        "< " + " " * 200 + "memory-context>",
    ],
)
def test_other_text_is_left_alone(text: str) -> None:
    assert scrub(text) == text


PARTS = st.sampled_from(
    [
        "<",
        "</",
        ">",
        "/",
        " ",
        "memory-context",
        "MEMORY",
        "-context",
        "＜",
        "＞",
        "\u200b",
        "x",
        "<memory-context>",
        "</memory-context>",
        "<memory-context id='1'>",
        "\n",
    ]
)


@given(st.lists(PARTS, max_size=15))
def test_one_character_at_a_time_gives_what_the_whole_gives(parts: list[str]) -> None:
    text = "".join(parts)
    scrubber, shown = StreamScrubber(), ""
    for at, character in enumerate(text, start=1):
        shown += scrubber.feed(character)
        assert scrub(text[:at]).startswith(shown)
        assert len(scrub(text[:at])) - len(shown) <= MAX_HELD
    assert shown + scrubber.flush() == scrub(text)


@given(st.lists(PARTS, max_size=15))
def test_what_was_scrubbed_holds_no_whole_tag(parts: list[str]) -> None:
    assert not re.search(
        r"<\s*/?\s*memory-context(\s[^>]*)?>",
        scrub("".join(parts)).replace("\u200b", ""),
        re.IGNORECASE,
    )


@given(st.text())
def test_text_without_brackets_passes_unchanged(text: str) -> None:
    text = re.sub("[<＜﹤]", "", text)
    assert scrub(text) == text


@given(st.lists(PARTS, max_size=10), st.text(max_size=20))
def test_nothing_inside_can_close_the_fence(parts: list[str], text: str) -> None:
    content = text + "x" + "".join(parts)
    fenced = fence(content, "n1")
    assert fenced.count("<") == 2
    assert scrub(f"a{fenced}b") == "ab"


def test_a_fence_says_what_it_holds() -> None:
    assert fence("1 < 2 & {x}", "n1") == (
        f'<memory-context id="n1">\n{HEADER}\n1 &lt; 2 &amp; {{x}}\n</memory-context>'
    )
    assert "no instructions" in HEADER


def test_there_is_no_fence_around_nothing() -> None:
    assert fence(" \n", "n1") == ""
