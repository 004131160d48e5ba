"""Counts tokens offline: what a request will roughly cost before a provider has counted it.

Vocabularies cannot be shipped, and characters / 4 is far too low for Chinese. Weights by kind of character stay
near what byte-pair vocabularies of current models count (tests/memory/test_token_estimate.py holds their counts).
"""

import re

# Tokens per match: a fixed part, and a part per character beyond the first `free` ones.
_CJK = 0.72
_WORD, _WORD_FREE, _WORD_MORE = 1.0, 7, 0.22
_OTHER_LETTER = 0.45
_DIGIT = 0.5
_PUNCTUATION = 0.75
_SPACE = 0.35

_PIECE = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff]+)"
    r"|(?P<word>[A-Za-z]+)"
    r"|(?P<digits>\d+)"
    r"|(?P<space>\s\s+|\n)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<punctuation>[^\w\s]|_)"
)


def estimate_tokens(text: str) -> int:
    """About as many tokens as a provider counts for `text`; 0 only for the empty text."""
    if not text:
        return 0
    return max(1, round(sum(_weigh(match) for match in _PIECE.finditer(text))))


def _weigh(match: re.Match[str]) -> float:
    length = match.end() - match.start()
    match match.lastgroup:
        case "cjk":
            return _CJK * length
        case "word":
            return _WORD + _WORD_MORE * max(0, length - _WORD_FREE)
        case "digits":
            return _DIGIT * length
        case "letters":
            return _OTHER_LETTER * length
        case "punctuation":
            return _PUNCTUATION
        case _:
            return _SPACE
