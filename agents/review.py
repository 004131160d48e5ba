"""Keyword review of what goes in and what comes out: plain substrings, no patterns.

Both sides are folded first, so that width, case, composed forms and invisible characters hide nothing.
"""

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable


def fold(text: str) -> str:
    """`text` as keywords are compared: NFKC, case folded, without characters that nobody sees."""
    folded = _fold_once(_INVISIBLE.sub("", text))
    while (again := _fold_once(folded)) != folded:
        folded = again
    return folded


def find_keyword(text: str, keywords: Iterable[str]) -> str | None:
    """The first of `keywords` that `text` contains. A blank keyword is in nothing."""
    folded = fold(text)
    return next(
        (word for word in keywords if (wanted := fold_keyword(word)) and wanted in folded), None
    )


def fold_keyword(keyword: str) -> str:
    """A keyword as it is stored and compared; "" when nothing of it can be seen."""
    return fold(keyword).strip()


class OutputReview:
    """Lets a streamed answer through up to the first keyword (dify#5920).

    The end of what was fed is held back, as long as the longest keyword, so that no word split over deltas is
    ever shown.
    """

    def __init__(self, keywords: Iterable[str]) -> None:
        self._keywords = [word for word in map(fold_keyword, keywords) if word]
        self._hold = max(map(len, self._keywords), default=0)
        self._held = ""
        self._is_cut = False

    def feed(self, text: str) -> tuple[str, bool]:
        """What may be shown now, and whether a keyword came. After it nothing more is let through."""
        if self._is_cut:
            return "", True
        if not self._hold:
            return text, False
        self._held += text
        if self._is_hit(self._held):
            self._is_cut = True
            return self._take(self._start_of_keyword()), True
        return self._take(self._start_of_tail()), False

    def flush(self) -> tuple[str, bool]:
        """The rest, at the end of the answer; it was searched when it came."""
        return ("", True) if self._is_cut else (self._take(len(self._held)), False)

    def _take(self, length: int) -> str:
        taken, self._held = self._held[:length], self._held[length:]
        return taken

    def _is_hit(self, text: str) -> bool:
        folded = fold(text)
        return any(word in folded for word in self._keywords)

    def _start_of_keyword(self) -> int:
        """The last place from which on the held text still contains the first keyword that it completes.

        Folding changes lengths, so the place is found by asking, not by counting.
        """
        held = self._held
        end = bisect_left(range(len(held)), True, key=lambda at: self._is_hit(held[:at]))
        length = bisect_left(range(end), True, key=lambda at: self._is_hit(held[end - at : end]))
        return end - length

    def _start_of_tail(self) -> int:
        """Where the shortest tail begins that folds to at least the longest keyword's length."""
        start = len(self._held) - self._hold
        while start > 0 and (missing := self._hold - len(fold(self._held[start:]))) > 0:
            start -= missing
        return max(0, start)


def _fold_once(text: str) -> str:
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())


# Unicode's default-ignorable characters: zero-width, direction marks, fillers, variation selectors, tags.
_INVISIBLE = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U000e0000-\U000e0fff]"
)
