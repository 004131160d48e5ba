"""Error text may be shown: what looks like a credential is blacked out, the rest stays readable."""

import time

import pytest

from tools.plain_text import clean_text, redact, shorten


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer canary-123456",
        "authorization=Basic canary123456",
        '{"api_key": "canary-123456"}',
        "api-key=canary-123456&x=1",
        "OPENAI_API_KEY='canary-123456'",
        "password: canary-123456",
        "token = canary.123456",
        "Incorrect API key provided: sk-canary-12345678",
        "https://user:canary123456@example.org/v1",
        "ghp_canary123456",
    ],
)
def test_a_credential_is_blacked_out(text: str) -> None:
    assert "canary" not in redact(text)
    assert "[redacted]" in redact(text)


@pytest.mark.parametrize(
    "text",
    [
        "The model takes at most 4096 tokens.",
        "ValueError: invalid literal for int() with base 10: 'x'",
        "max_tokens must be positive",
        "http://127.0.0.1:8000/v1/chat",
    ],
)
def test_ordinary_words_stay(text: str) -> None:
    assert redact(text) == text


@pytest.mark.parametrize(
    "text", ["a" * 100_000, "token" * 20_000, "://" + "a" * 100_000, " =" * 50_000]
)
def test_no_text_makes_redaction_slow(text: str) -> None:
    started = time.monotonic()
    redact(text)
    assert time.monotonic() - started < 1


def test_text_is_cut_to_the_limit_visibly() -> None:
    assert shorten("abcdef", 4) == "abc…"
    assert shorten("abcd", 4) == "abcd"


def test_halves_of_a_pair_are_joined_and_lone_ones_replaced() -> None:
    assert clean_text("\ud83d\ude00 \ud83d \x00") == "😀 \ufffd "
