"""What HTML may reach a page that shows answers: the last gate after every renderer."""

import re

import nh3

TEXT_TAGS = {
    *(
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "div",
        "em",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "img",
        "li",
    ),
    *("ol", "p", "pre", "s", "span", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul"),
}
FORMULA_TAGS = {
    *(
        "math",
        "menclose",
        "mfrac",
        "mi",
        "mn",
        "mo",
        "mover",
        "mpadded",
        "mphantom",
        "mroot",
        "mrow",
    ),
    *("mspace", "msqrt", "mstyle", "msub", "msubsup", "msup", "mtable", "mtd", "mtext", "mtr"),
    *("munder", "munderover"),
}
ATTRIBUTES = {
    "a": {"href", "title", "class"},
    "code": {"class"},
    "div": {"class", "tabindex"},
    "img": {"src", "alt", "title"},
    "math": {"display"},
    "menclose": {"notation"},
    "mfrac": {"linethickness"},
    "mi": {"mathvariant"},
    "mo": {"fence", "form", "movablelimits", "stretchy", "minsize", "maxsize"},
    "mspace": {"width"},
    "mtd": {"columnalign"},
    "ol": {"start"},
    "pre": {"class", "data-language", "tabindex"},
    "span": {"class"},
    "td": {"class"},
    "th": {"class"},
}
LINK = re.compile(r"(https?://|mailto:)", re.IGNORECASE)
INLINE_IMAGE = re.compile(r"data:image/(gif|jpeg|png|webp);base64,[A-Za-z0-9+/=]+", re.IGNORECASE)


def _keep_attribute(tag: str, name: str, value: str) -> str | None:
    if (tag, name) == ("a", "href"):
        return value if LINK.match(value) else None
    if (tag, name) == ("img", "src"):
        return value if INLINE_IMAGE.fullmatch(value) else None
    return value


_cleaner = nh3.Cleaner(
    tags=TEXT_TAGS | FORMULA_TAGS,
    attributes=ATTRIBUTES,
    attribute_filter=_keep_attribute,
    url_schemes={"http", "https", "mailto", "data"},
    url_relative="deny",
    link_rel="noopener noreferrer nofollow",
    set_tag_attribute_values={"a": {"target": "_blank"}},
)


def sanitize(html: str) -> str:
    """HTML that runs nothing and loads nothing: links lead to http, https and mailto only."""
    return _cleaner.clean(html)
