"""Markdown to safe HTML, whole or block by block while it is being written."""

import re
from collections.abc import Iterator, Sequence
from html import escape

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict

from apps.conversations.formulas import add_formulas
from apps.conversations.highlighting import highlight_code
from apps.conversations.sanitizing import sanitize

HEADING_SHIFT = 2
LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def render_markdown(text: str) -> str:
    """The text as sanitised HTML; a turn's own heading is an `h2`, so `#` becomes `h3`."""
    renderer = BlockRenderer()
    renderer.feed(text)
    return "".join(html for _index, html in renderer.finish())


class BlockRenderer:
    """Renders growing Markdown block by block.

    Finished blocks are frozen and never looked at again; what `changes` and `finish` have returned, put together
    by index, is always `render_markdown` of the text so far. Link reference definitions are off: they are the one
    construct by which later text changes earlier blocks.
    """

    def __init__(self) -> None:
        self._frozen = 0
        self._tail = ""
        self._pending = ""
        self._sent: dict[int, str] = {}

    @property
    def tail_length(self) -> int:
        """Characters that the next `changes` renders."""
        return len(self._tail) + len(self._pending)

    def feed(self, text: str) -> None:
        """Add text; costs nothing until the next `changes`."""
        self._pending += text

    def changes(self) -> list[tuple[int, str]]:
        """Blocks that differ from what was returned before, by index; "" for one that is no more."""
        return self._render(is_last=False)

    def finish(self) -> list[tuple[int, str]]:
        """As `changes`, when no more text comes."""
        return self._render(is_last=True)

    def _render(self, *, is_last: bool) -> list[tuple[int, str]]:
        self._take_pending(is_last=is_last)
        blocks = list(_blocks_of(self._tail))
        shown = {
            self._frozen + place: _render_block(tokens) for place, (_, tokens) in enumerate(blocks)
        }
        gone = [index for index in self._sent if index >= self._frozen + len(blocks)]
        changed = [(index, html) for index, html in shown.items() if self._sent.get(index) != html]
        changed += [(index, "") for index in gone]
        self._sent = shown
        self._freeze([line for line, _ in blocks])
        return changed

    def _take_pending(self, *, is_last: bool) -> None:
        """A line end may come in two parts (CR, LF): a CR at the very end waits for what follows."""
        waits = self._pending.endswith("\r") and not is_last
        text = self._pending[:-1] if waits else self._pending
        self._pending = "\r" if waits else ""
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        self._tail += LONE_SURROGATES.sub("\ufffd", text)

    def _freeze(self, starts: Sequence[int]) -> None:
        """Let go of all blocks before one that certainly stands: its first two lines are complete."""
        complete = self._tail.count("\n")
        firm = [place for place, line in enumerate(starts) if line + 2 <= complete]
        if not firm or firm[-1] == 0:
            return
        place = firm[-1]
        self._tail = self._tail.split("\n", starts[place])[-1]
        self._frozen += place
        self._sent = {index: html for index, html in self._sent.items() if index >= self._frozen}


def _blocks_of(text: str) -> Iterator[tuple[int, list[Token]]]:
    """Top-level blocks: the line each starts at, and its tokens."""
    tokens: list[Token] = []
    for token in _parser.parse(text):
        tokens.append(token)
        if token.level == 0 and token.nesting <= 0:
            first = tokens[0].map
            yield (first[0] if first else 0), tokens
            tokens = []


def _render_block(tokens: list[Token]) -> str:
    return sanitize(_parser.renderer.render(tokens, _parser.options, {}))


def _render_fence(
    _renderer: RendererHTML, tokens: list[Token], index: int, _options: OptionsDict, _env: EnvType
) -> str:
    token = tokens[index]
    language = token.info.split(maxsplit=1)[0].lower() if token.info.strip() else ""
    code = highlight_code(token.content, language)
    return f'<pre class="code" data-language="{escape(language)}" tabindex="0"><code>{code}</code></pre>\n'


def _render_image(
    renderer: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """An image that the text carries itself is shown; any other is a link, so that nothing is loaded."""
    token = tokens[index]
    source = escape(str(token.attrs.get("src", "")))
    words = renderer.renderInlineAsText(token.children, options, env) if token.children else ""
    if source.startswith("data:image/"):
        return f'<img src="{source}" alt="{escape(words)}">'
    return f'<a class="image" href="{source}">{escape(words) or source}</a>'


def _open_table(*_arguments: object) -> str:
    return '<div class="table" tabindex="0"><table>\n'


def _close_table(*_arguments: object) -> str:
    return "</table></div>\n"


def _open_cell(
    renderer: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    """The alignment as a class: the page's policy forbids style attributes."""
    token = tokens[index]
    style = str(token.attrs.pop("style", ""))
    if style:
        token.attrSet("class", style.replace("text-align:", "align-"))
    return renderer.renderToken(tokens, index, options, env)


def _open_heading(
    renderer: RendererHTML, tokens: list[Token], index: int, options: OptionsDict, env: EnvType
) -> str:
    token = tokens[index]
    token.tag = f"h{min(int(token.tag[1]) + HEADING_SHIFT, 6)}"
    return renderer.renderToken(tokens, index, options, env)


def _build_parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False, "breaks": True, "maxNesting": 40})
    parser.enable(["table", "strikethrough"]).disable(["reference", "html_block", "html_inline"])
    add_formulas(parser)
    for name in ("fence", "code_block"):
        parser.add_render_rule(name, _render_fence)
    for name in ("th_open", "td_open"):
        parser.add_render_rule(name, _open_cell)
    for name in ("heading_open", "heading_close"):
        parser.add_render_rule(name, _open_heading)
    parser.add_render_rule("image", _render_image)
    parser.add_render_rule("table_open", _open_table)
    parser.add_render_rule("table_close", _close_table)
    return parser


_parser = _build_parser()
