"""Text that every store and every provider accepts, and error text that may be shown."""

import re

_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_SECRETS = re.compile(
    r"(?i)(?P<lead>\b(?:bearer|basic)\s+"
    r"|[\w-]{0,32}(?:api[_-]?key|token|secret|passw(?:or)?d|authorization)[\"']?\s{0,4}[=:]\s{0,4}[\"']?"
    r"(?:(?:bearer|basic)\s+)?"
    r")[^\s\"'&,;@]{3,}"
    r"|(?P<address>://[^\s/:@]{0,64}:)[^\s/@]{1,256}(?=@)"
    r"|\b(?:sk|pk|ghp|gho|xox[abp])[-_][\w-]{8,}"
)


def clean_text(text: str) -> str:
    """`text` without NUL (PostgreSQL refuses it) and lone surrogates (UTF-8 refuses them)."""
    if not _UNSTORABLE.search(text):
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return paired.replace("\x00", "")


def redact(text: str) -> str:
    """`text` with everything that looks like a credential blacked out."""
    return _SECRETS.sub(lambda match: f"{match['lead'] or match['address'] or ''}[redacted]", text)


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters of `text`; what was cut shows as an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"
