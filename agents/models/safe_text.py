"""Streamed text made storable (see `clean_text`), where a surrogate pair may come in two pieces."""

from tools.plain_text import clean_text

REPLACEMENT = "\ufffd"


class SafeText:
    """Takes pieces, gives what can be said for sure so far."""

    def __init__(self) -> None:
        self._half = ""

    def feed(self, piece: str) -> str:
        whole = self._half + piece
        self._half = whole[-1] if "\ud800" <= whole[-1:] <= "\udbff" else ""
        return clean_text(whole[:-1] if self._half else whole)

    def flush(self) -> str:
        """What is left: a half that found no partner."""
        rest, self._half = (REPLACEMENT if self._half else ""), ""
        return rest
