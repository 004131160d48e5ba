"""Keyword review: nothing hides from it, nothing harmless is caught, no forbidden word is ever shown."""

import unicodedata
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agents.review import OutputReview, find_keyword, fold

Disguise = Callable[[str], str]

WORDS = ("forbidden", "café", "機密", "straße", "한국")
DISGUISES: dict[str, Disguise] = {
    "plain": lambda word: word,
    "upper": str.upper,
    "decomposed": lambda word: unicodedata.normalize("NFD", word),
    "zero width": lambda word: "\u200b".join(word),
    "full width": lambda word: "".join(
        chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in word
    ),
}


@pytest.mark.parametrize("disguise", DISGUISES.values(), ids=DISGUISES)
@pytest.mark.parametrize("word", WORDS)
def test_a_keyword_is_found_in_every_disguise(word: str, disguise: Disguise) -> None:
    assert find_keyword(f"xx {disguise(word)} yy", [word]) == word


@pytest.mark.parametrize("blank", ["", " ", "\n\t", "\u200b", "\u200b \ufeff", "\u3000"])
def test_a_blank_keyword_blocks_nothing(blank: str) -> None:
    assert find_keyword("any text at all", [blank]) is None
    assert OutputReview([blank]).feed("any text at all") == ("any text at all", False)


def test_text_without_a_keyword_passes() -> None:
    assert find_keyword("the forbid den fruit", ["forbidden"]) is None


@given(st.text())
def test_folding_twice_changes_nothing(text: str) -> None:
    assert fold(fold(text)) == fold(text)


def run(review: OutputReview, pieces: Sequence[str]) -> tuple[str, bool]:
    shown, hit = "", False
    for piece in pieces:
        text, hit = review.feed(piece)
        shown += text
    rest, hit = review.flush()
    return shown + rest, hit


def split(text: str, cuts: Sequence[int]) -> list[str]:
    places = [0, *sorted({cut % (len(text) + 1) for cut in cuts}), len(text)]
    return [text[a:b] for a, b in zip(places, places[1:], strict=False)]


TEXTS = st.text(alphabet="ab fé\u0301\u200bＦ機ß한ᄒ", max_size=30)


@given(
    TEXTS,
    TEXTS,
    st.sampled_from(WORDS),
    st.sampled_from(list(DISGUISES.values())),
    st.lists(st.integers(0, 200)),
)
def test_a_forbidden_word_split_over_deltas_is_never_shown(
    before: str, after: str, word: str, disguise: Disguise, cuts: list[int]
) -> None:
    text = f"{before} {disguise(word)} {after}"
    shown, hit = run(OutputReview(WORDS), split(text, cuts))
    assert hit
    assert text.startswith(shown)
    assert find_keyword(shown, WORDS) is None


@given(TEXTS, st.lists(st.integers(0, 200)))
def test_an_innocent_answer_arrives_whole(text: str, cuts: list[int]) -> None:
    shown, hit = run(OutputReview(["qqq"]), split(text, cuts))
    assert (shown, hit) == (text, False)


@given(st.text(max_size=20), st.sampled_from(WORDS))
def test_the_answer_is_cut_right_before_the_word(before: str, word: str) -> None:
    text = before + "\n" + word
    shown, hit = run(OutputReview([word]), list(text))
    if find_keyword(before, [word]) is None:
        assert (shown, hit) == (before + "\n", True)


def test_at_most_the_longest_keyword_is_held_back() -> None:
    review = OutputReview(["abc", "forbidden"])
    shown, _ = review.feed("x" * 100)
    assert len(shown) == 100 - len("forbidden")


def test_nothing_passes_after_a_hit() -> None:
    review = OutputReview(["bad"])
    assert review.feed("so bad") == ("so ", True)
    assert review.feed(" more") == ("", True)
    assert review.flush() == ("", True)
