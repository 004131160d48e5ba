"""Markdown on the server: what it renders, that nothing harmful survives, that streaming changes nothing."""

import re
from html.parser import HTMLParser

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from apps.conversations.markdown import BlockRenderer, render_markdown
from tests.conversations.xss_corpus import PAYLOADS

PIECES = st.sampled_from(
    [
        *(
            "word ",
            "*a* ",
            "**b**",
            "`c`",
            "~~d~~",
            "1",
            "1. ",
            "- ",
            "* ",
            "+ ",
            "> ",
            "# ",
            "## ",
        ),
        *(
            "\n",
            "\n",
            "\n\n",
            "\n\n",
            "\r\n",
            "\r",
            "  ",
            "    ",
            "\t",
            "---",
            "===",
            "```",
            "~~~",
            "|",
        ),
        *(
            "a|b\n",
            "-|-\n",
            "|:-:|",
            "$",
            "$$",
            "\\[",
            "\\]",
            "\\(",
            "\\)",
            "\\",
            "x^2",
            "[x](",
            ")",
        ),
        *(
            "[a]: http://x\n",
            "[a]",
            "![i](http://y)",
            "<b>",
            "<!--",
            "&amp;",
            "中文",
            "🙂",
            "<http://z>",
        ),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# Title", "<h3>Title</h3>\n"),
        ("~~gone~~", "<p><s>gone</s></p>\n"),
        ("one\ntwo", "<p>one<br>\ntwo</p>\n"),
        ("costs $5 and $10", "<p>costs $5 and $10</p>\n"),
        ("$5/$10", "<p>$5/$10</p>\n"),
        (r"\$x\$", "<p>$x$</p>\n"),
        (r"$\frac{$", "<p><code>$\\frac{$</code></p>\n"),
        ("$$\nx\n\ny", '<pre class="formula"><code>$$\nx</code></pre>\n<p>y</p>\n'),
        ("[x](/admin/)", '<p><a target="_blank" rel="noopener noreferrer nofollow">x</a></p>\n'),
    ],
    ids=[
        *(
            "heading-below-the-turn",
            "strikethrough",
            "line-break",
            "prices-are-no-formula",
            "ratio",
        ),
        *(
            "escaped-dollar",
            "broken-formula-is-shown",
            "unclosed-block-ends-at-blank",
            "relative-link",
        ),
    ],
)
def test_text_renders_as(text: str, html: str) -> None:
    assert render_markdown(text) == html


@pytest.mark.parametrize("text", ["$x^2$", r"\(x^2\)", "$$x^2$$", "$$\nx^2\n$$", "\\[\nx^2\n\\]"])
def test_formula_becomes_mathml(text: str) -> None:
    assert "<msup><mi>x</mi><mn>2</mn></msup>" in render_markdown(f"see\n{text}")


def test_code_is_coloured_by_classes_and_named_by_language() -> None:
    html = render_markdown("```Python\ndef f(): pass\n```")
    assert 'data-language="python"' in html
    assert '<span class="hl-k">def</span>' in html


def test_table_alignment_is_a_class_because_the_policy_forbids_styles() -> None:
    html = render_markdown("a|b\n-|-:\n1|2")
    assert '<td class="align-right">2</td>' in html
    assert "style=" not in html


def test_foreign_image_is_a_link_and_own_image_is_shown() -> None:
    assert "<img" not in render_markdown("![x](https://example.org/x.png)")
    assert '<img src="data:image/png;base64,AAAA"' in render_markdown(
        "![x](data:image/png;base64,AAAA)"
    )


class ActiveContent(HTMLParser):
    """Collects what could run or load."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in {
            "script",
            "style",
            "iframe",
            "object",
            "embed",
            "svg",
            "link",
            "meta",
            "base",
            "form",
        }:
            self.found.append(tag)
        for name, value in attrs:
            is_link = (tag, name) == ("a", "href")
            is_image = (tag, name) == ("img", "src")
            if name.startswith("on") or name in {"style", "srcset", "srcdoc", "formaction"}:
                self.found.append(f"{tag} {name}")
            elif is_link and not re.match("(https?://|mailto:)", value or ""):
                self.found.append(f"link to {value}")
            elif is_image and not re.match("data:image/(gif|jpeg|png|webp);base64,", value or ""):
                self.found.append(f"image from {value}")
            elif not is_link and not is_image and name in {"href", "src", "xlink:href"}:
                self.found.append(f"{tag} {name}")


def active_content(html: str) -> list[str]:
    reader = ActiveContent()
    reader.feed(html)
    reader.close()
    return reader.found


@pytest.mark.parametrize("payload", PAYLOADS)
def test_injected_content_is_inert(payload: str) -> None:
    assert active_content(render_markdown(payload)) == []


def test_links_carry_no_trust() -> None:
    assert 'rel="noopener noreferrer nofollow"' in render_markdown("[x](https://example.org)")


def streamed(text: str, cuts: list[int]) -> tuple[str, list[str]]:
    """The page's blocks after every change, put together as the page does."""
    renderer, blocks = BlockRenderer(), dict[int, str]()
    states = []
    edges = sorted({0, len(text), *(cut % (len(text) + 1) for cut in cuts)})
    for start, end in zip(edges, edges[1:], strict=False):
        renderer.feed(text[start:end])
        blocks.update(renderer.changes())
        states.append("".join(blocks[index] for index in sorted(blocks)))
    blocks.update(renderer.finish())
    return "".join(blocks[index] for index in sorted(blocks)), states


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.lists(st.integers(0, 10_000), max_size=40))
@example("para\na|b\n-|-\nx", [8, 9, 10, 11])
@example("$$\n# x\n$$\n", [3, 4, 5, 6, 7, 8])
@example("para\n#foo\nmore\n", [6, 7, 8])
def test_streamed_blocks_equal_the_whole_text(text: str, cuts: list[int]) -> None:
    assert streamed(text, cuts)[0] == render_markdown(text)


@settings(max_examples=100, deadline=None)
@given(TEXTS)
def test_every_moment_of_a_stream_equals_the_text_so_far(text: str) -> None:
    _, states = streamed(text, list(range(len(text))))
    for length, state in enumerate(states, start=1):
        if not text[:length].endswith("\r"):
            assert state == render_markdown(text[:length])


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payload_split_over_deltas_is_as_inert_as_whole(payload: str) -> None:
    whole, states = streamed(payload, list(range(len(payload))))
    assert whole == render_markdown(payload)
    assert [active_content(state) for state in states] == [[] for _ in states]


def test_finished_blocks_are_not_rendered_again() -> None:
    renderer = BlockRenderer()
    renderer.feed("one\n\ntwo\n\nthree\n\n")
    renderer.changes()
    renderer.feed("four\n\nfive\n")
    assert [index for index, _html in renderer.changes()] == [3, 4]
    assert renderer.tail_length < len("four\n\nfive\n\n")
