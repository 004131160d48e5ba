"""Code in Markdown, coloured by classes (the page's style sheet holds the colours)."""

from functools import lru_cache
from html import escape

from pygments import highlight
from pygments.formatters.html import HtmlFormatter
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

LONGEST_HIGHLIGHTED = 20_000

_formatter = HtmlFormatter[str](nowrap=True, classprefix="hl-")


@lru_cache(maxsize=64)
def find_lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return None


def highlight_code(code: str, language: str) -> str:
    """The code as HTML; plain when the language is unknown or the code is long."""
    lexer = find_lexer(language) if language and len(code) <= LONGEST_HIGHLIGHTED else None
    return highlight(code, lexer, _formatter) if lexer else escape(code)
