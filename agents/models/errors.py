"""What went wrong at a model service, from any of the shapes in which services say it."""

import html
import json
import re
import time
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Any
from urllib.parse import quote

from agents.models.inference import ModelCallError, ModelSpec
from tools.plain_text import clean_text, redact, shorten

LONGEST_TEXT = 500
SHORTEST_SECRET = 6
REDACTED = "[redacted]"
CONTEXT_WORDS = re.compile(
    r"context.?(?:length|window|size)|maximum.{0,20}tokens|too many tokens|(?:prompt|input) is too long",
    re.IGNORECASE,
)
MODEL_WORDS = re.compile(
    r"model.{0,80}(?:not.?found|does not exist|not exist|unknown)|(?:unknown|invalid|no such) model",
    re.IGNORECASE,
)
STATUS_WORDS: tuple[tuple[str, int], ...] = (
    ("insufficient_quota", 402),
    ("rate_limit", 429),
    ("overloaded", 529),
    ("authentication", 401),
    ("invalid_api_key", 401),
    ("permission", 403),
    ("not_found", 404),
    ("invalid_request", 400),
    ("bad_request", 400),
    ("context_length", 400),
)


def error_of_response(
    spec: ModelSpec, status: int, body: str, headers: Mapping[str, str]
) -> ModelCallError:
    """The error that an HTTP answer other than 2xx stands for."""
    content = _parse(body)
    text = _words(content) if content is not None else _page_text(body)
    kind = _kind(content)
    status = 402 if "insufficient_quota" in kind else status
    code, is_retryable = _classify(status, f"{kind} {text}")
    return ModelCallError(
        code,
        f"{subject(spec)} answered {status}: {_quote(spec, text)}",
        is_retryable=is_retryable,
        retry_after=_retry_after(headers),
    )


def error_of_event(spec: ModelSpec, content: Mapping[str, Any]) -> ModelCallError | None:
    """The error that an event of a 200 stream carries, if it carries one."""
    is_error = bool(content.get("error")) or content.get("object") == "error"
    is_bare = "choices" not in content and bool(content.get("detail") or content.get("message"))
    if not is_error and not is_bare:
        return None
    kind, text = _kind(content), _words(content)
    code, is_retryable = _classify(_status_of(kind), f"{kind} {text}")
    message = f"{subject(spec)} reported an error: {_quote(spec, text)}"
    return ModelCallError(code, message, is_retryable=is_retryable)


def error_of_page(spec: ModelSpec, body: str) -> ModelCallError:
    """The error that a 200 answer without any event stands for: a page, or something else."""
    shown = _quote(spec, _page_text(body))
    message = f"{subject(spec)} answered with something that is not what was asked for: {shown}"
    return ModelCallError("malformed_stream", message)


def subject(spec: ModelSpec) -> str:
    """Of whom an error speaks: the model, or the provider in a call that names no model."""
    return f"The model {spec.label!r}" if spec.name else f"The provider {spec.label!r}"


def without_secrets(spec: ModelSpec, text: str) -> str:
    """The text without the key, the values of the operator's headers, and what looks like a credential."""
    headers = (value for value in spec.extra_headers.values() if len(value) >= SHORTEST_SECRET)
    for secret in sorted(filter(None, (spec.secret, *headers)), key=len, reverse=True):
        for shape in {secret, quote(secret, safe=""), json.dumps(secret)[1:-1]}:
            text = text.replace(shape, REDACTED)
    return redact(text)


def _quote(spec: ModelSpec, text: str) -> str:
    return shorten(without_secrets(spec, text), LONGEST_TEXT) or "(no explanation)"


def _classify(status: int, evidence: str) -> tuple[str, bool]:
    """The error code, and whether asking again unchanged may help."""
    match status:
        case 401 | 403:
            return "authentication_failed", False
        case 402:
            return "rate_limited", False
        case 429:
            return "rate_limited", True
        case 408 | 409:
            return "upstream_error", True
        case 413:
            return "context_too_long", False
        case 404:
            return "model_not_found", False
        case _ if 400 <= status < 500:
            return _classify_refusal(evidence), False
    return "upstream_error", status >= 500


def _classify_refusal(evidence: str) -> str:
    if CONTEXT_WORDS.search(evidence):
        return "context_too_long"
    return "model_not_found" if MODEL_WORDS.search(evidence) else "bad_request"


def _parse(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


def _words(content: Any) -> str:
    """The sentence for people in an error body."""
    match content:
        case str():
            return clean_text(content).strip()
        case [first, *_]:
            return _words(first)
        case dict():
            named = (content.get(key) for key in ("error", "message", "detail", "msg", "errors"))
            return next((words for one in named if one and (words := _words(one))), "")
    return ""


def _kind(content: Any) -> str:
    """The machine-readable part of an error body: type, code and status, as one string."""
    match content:
        case [first, *_]:
            return _kind(first)
        case {"error": dict() as inner}:
            return _kind(inner)
        case dict():
            return " ".join(str(content[k]) for k in ("type", "code", "status") if content.get(k))
    return ""


def _status_of(kind: str) -> int:
    """The HTTP status that an error inside a stream would have had; 500 where it does not say."""
    if number := re.search(r"\b[45]\d\d\b", kind):
        return int(number[0])
    lowered = kind.lower()
    return next((status for word, status in STATUS_WORDS if word in lowered), 500)


def _page_text(body: str) -> str:
    """The title of an HTML page, or the beginning of what came."""
    title = re.search(r"<title[^>]*>(.*?)</title>", body[:10_000], re.IGNORECASE | re.DOTALL)
    shown = title[1] if title else re.sub(r"<[^>]*>", " ", body[:10_000])
    return clean_text(" ".join(html.unescape(shown).split()))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Seconds to wait, as the service asks."""
    if milliseconds := _number(headers.get("retry-after-ms", "")):
        return milliseconds / 1000
    asked = headers.get("retry-after", "")
    seconds = _number(asked)
    return seconds if seconds is not None else _seconds_until(asked)


def _number(text: str) -> float | None:
    return float(text) if re.fullmatch(r"\d{1,9}(?:\.\d{1,9})?", text.strip()) else None


def _seconds_until(date: str) -> float | None:
    try:
        return max(0.0, parsedate_to_datetime(date).timestamp() - time.time())
    except ValueError:
        return None
