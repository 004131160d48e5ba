"""The offline estimate against what three current vocabularies count for the same texts."""

import json
import time
from pathlib import Path
from typing import Any

import pytest

from memory.token_estimate import estimate_tokens

COUNTED = json.loads((Path(__file__).parent / "token_counts.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("counted", COUNTED, ids=[one["name"] for one in COUNTED])
def test_the_estimate_is_near_what_is_counted(counted: dict[str, Any]) -> None:
    counts = [counted["o200k_base"], counted["qwen3.6"], counted["deepseek_v4"]]
    ratio = estimate_tokens(counted["text"]) / (sum(counts) / len(counts))
    assert 0.85 <= ratio <= 1.10


def test_nothing_costs_nothing_and_something_costs_something() -> None:
    assert estimate_tokens("") == 0
    assert estimate_tokens(" ") == 1
    assert estimate_tokens("a") == 1


def test_a_longer_text_is_not_cheaper() -> None:
    text = "".join(one["text"] for one in COUNTED)
    counts = [estimate_tokens(text[:length]) for length in range(0, len(text), 50)]
    assert counts == sorted(counts)


@pytest.mark.parametrize("text", ["a" * 200_000, " " * 200_000, "<_>" * 70_000, "é一1 " * 50_000])
def test_a_large_text_is_estimated_quickly(text: str) -> None:
    started = time.monotonic()
    estimate_tokens(text)
    assert time.monotonic() - started < 1
