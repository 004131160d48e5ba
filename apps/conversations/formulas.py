"""Formulas in Markdown: `$…$`, `\\(…\\)` in a line, `$$…$$`, `\\[…\\]` as blocks, rendered as MathML.

A block formula opens by its first line alone and ends at its closing mark or the first blank line, so that
text which is still to come never changes a block that is finished.
"""

import re
from html import escape

from latex2mathml import exceptions
from latex2mathml.converter import convert
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

LONGEST_FORMULA = 2_000
FORMULA_FAULTS: tuple[type[Exception], ...] = (
    *(kind for kind in vars(exceptions).values() if isinstance(kind, type)),
    *(AttributeError, IndexError, KeyError, RecursionError, StopIteration, TypeError, ValueError),
)
DOLLARS = re.compile(r"\$(?![\s$])((?:[^$\\\n]|\\[^\n])+?)(?<!\s)\$(?!\d)")
DOUBLE_DOLLARS = re.compile(r"\$\$([^$]+?)\$\$")
PARENTHESES = re.compile(r"\\\((.+?)\\\)", re.DOTALL)
BRACKETS = re.compile(r"\\\[(.+?)\\\]", re.DOTALL)
BLOCK_MARKS = {"$$": "$$", "\\[": "\\]"}


def add_formulas(parser: MarkdownIt) -> None:
    """Teach the parser both kinds of formula."""
    parser.inline.ruler.before("escape", "formula", parse_inline_formula)
    parser.block.ruler.before(
        "fence", "formula_block", parse_block_formula, {"alt": ["paragraph", "blockquote", "list"]}
    )
    parser.add_render_rule("formula", render_inline_formula)
    parser.add_render_rule("formula_block", render_block_formula)


def parse_inline_formula(state: StateInline, silent: bool) -> bool:
    character = state.src[state.pos]
    if character not in "$\\":
        return False
    for pattern in (DOUBLE_DOLLARS, DOLLARS) if character == "$" else (PARENTHESES, BRACKETS):
        found = pattern.match(state.src, state.pos, state.posMax)
        if found is None:
            continue
        if not silent:
            token = state.push("formula", "math", 0)
            token.content, token.markup = found[1], found[0]
        state.pos = found.end()
        return True
    return False


def parse_block_formula(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    first = _line(state, start)
    closing = BLOCK_MARKS.get(first[:2])
    if closing is None or state.is_code_block(start):
        return False
    if closing in first[2:] and not first.endswith(closing):
        return False
    if silent:
        return True
    last = start
    is_closed = closing in first[2:]
    while not is_closed and last + 1 < end and not _is_outside(state, last + 1):
        last += 1
        is_closed = _line(state, last).endswith(closing)
    text = "\n".join(_line(state, line) for line in range(start, last + 1))
    token = state.push("formula_block", "math", 0)
    token.map, token.markup = [start, last + 1], text
    token.content = text[2 : -len(closing)] if is_closed else ""
    state.line = last + 1
    return True


def render_inline_formula(
    _renderer: RendererHTML,
    tokens: list[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    token = tokens[index]
    display = "block" if token.markup.startswith(("$$", "\\[")) else "inline"
    return to_mathml(token.content, display=display) or f"<code>{escape(token.markup)}</code>"


def render_block_formula(
    _renderer: RendererHTML,
    tokens: list[Token],
    index: int,
    _options: OptionsDict,
    _env: EnvType,
) -> str:
    token = tokens[index]
    formula = to_mathml(token.content, display="block")
    if formula:
        return f'<div class="formula" tabindex="0">{formula}</div>\n'
    return f'<pre class="formula"><code>{escape(token.markup)}</code></pre>\n'


def to_mathml(formula: str, *, display: str) -> str:
    """MathML, or "" for a formula that is empty, too long or not well-formed LaTeX."""
    if not formula.strip() or len(formula) > LONGEST_FORMULA:
        return ""
    try:
        return convert(formula.strip(), display=display)
    except FORMULA_FAULTS:
        return ""


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _is_outside(state: StateBlock, line: int) -> bool:
    return state.isEmpty(line) or state.sCount[line] < state.blkIndent
