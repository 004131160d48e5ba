"""Counts tokens offline: what a request will roughly cost before a provider has counted it.

Vocabularies cannot be shipped, and characters / 4 is far too low for Chinese. Weights by kind of character stay
near what byte-pair vocabularies of current models count (tests/memory/token_counts.json holds theirs).
"""

import re

# Tokens a character, unless said otherwise.
_CJK = 0.57
_HANGUL = 0.72
_DIGIT = 0.84
_OTHER_LETTER = 0.27
_SPACE = 0.75  # a run of blanks, or a line break
_WORD, _WORD_LENGTH, _WORD_MORE = 0.9, 7, 0.36  # a Latin word; each letter beyond its length
_SIGN, _SIGN_MORE = 0.8, 0.3  # a run of punctuation; each further sign

_PIECE = re.compile(
    r"(?P<cjk>[\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]+)"
    r"|(?P<hangul>[\uac00-\ud7af]+)"
    r"|(?P<word>[A-Za-z\u00c0-\u024f]+)"
    r"|(?P<digits>\d+)"
    r"|(?P<space>\s\s+|\n)"
    r"|(?P<letters>[^\W\d_]+)"
    r"|(?P<signs>(?:[^\w\s]|_)+)"
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
        case "hangul":
            return _HANGUL * length
        case "word":
            return _WORD + _WORD_MORE * max(0, length - _WORD_LENGTH)
        case "digits":
            return _DIGIT * length
        case "letters":
            return _OTHER_LETTER * length
        case "signs":
            return _SIGN + _SIGN_MORE * (length - 1)
        case _:
            return _SPACE
