"""Which earlier turns are sent again: whole ones, the newest, within rounds and tokens."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage, ToolCall, ToolMessage

from memory.token_buffer import Turn, count_turn_tokens, fit_turns

WORDS = st.text(alphabet="ab 一", max_size=60)
TURNS = st.lists(st.builds(lambda q, a: Turn(query=q, answer=a), WORDS, WORDS), max_size=6)


@pytest.mark.parametrize("budget", range(-1, 60))
def test_two_turns_are_never_cut_inside(budget: int) -> None:
    turns = [
        Turn(query="first question", answer="first"),
        Turn(query="second", answer="second answer"),
    ]
    assert fit_turns(turns, rounds=10, budget=budget) in ([], turns[1:], turns)


@given(TURNS, st.integers(-1, 8), st.integers(-10, 200))
def test_what_is_kept_is_the_longest_end_that_fits(
    turns: list[Turn], rounds: int, budget: int
) -> None:
    kept = fit_turns(turns, rounds=rounds, budget=budget)
    assert kept == turns[len(turns) - len(kept) :]
    assert len(kept) <= max(0, rounds)
    assert not kept or sum(map(count_turn_tokens, kept)) <= budget
    longer = turns[-len(kept) - 1 :]
    if len(longer) > len(kept):
        assert len(longer) > rounds or sum(map(count_turn_tokens, longer)) > budget


def test_an_old_turn_that_would_fit_does_not_jump_a_newer_one_that_does_not() -> None:
    turns = [
        Turn(query="a", answer="b"),
        Turn(query="long " * 200, answer="b"),
        Turn(query="c", answer="d"),
    ]
    assert fit_turns(turns, rounds=10, budget=100) == turns[2:]


def test_tool_groups_and_marks_count() -> None:
    call = ToolCall(name="clock", args={"zone": "Europe/Berlin"}, id="a", type="tool_call")
    groups = [AIMessage("", tool_calls=[call]), ToolMessage("12:00", tool_call_id="a")]
    bare = Turn(query="q", answer="a")
    assert (
        count_turn_tokens(Turn(query="q", answer="a", groups=groups)) > count_turn_tokens(bare) + 10
    )
    assert count_turn_tokens(Turn(query="q", answer="a", mark="(stopped)")) > count_turn_tokens(
        bare
    )
