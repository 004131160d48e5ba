"""What the values of providers and models have to be beyond their type."""

import json
import re
from typing import Any
from urllib.parse import urlsplit

import pydantic
from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

from agents.models.quirks import Quirks

# The run itself decides these; a parameter of the same name would quietly override it.
RESERVED_PARAMETERS = frozenset(
    {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "n"}
)
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_HEADER_VALUE = re.compile(r"[ -~]*")


def validate_provider_name(name: str) -> None:
    """A model is spelt `provider/name`, and models have slashes in their names: the first one parts them."""
    if "/" in name:
        raise ValidationError(
            _('A name has no "/", since models are spelt provider/name.'), code="slash"
        )


def validate_base_url(url: str) -> None:
    """An http or https address; its host may be private or a single label, as in a network of containers."""
    if not _is_base_url(url):
        raise ValidationError(
            _(
                "Enter an address with http:// or https://, a host and no query, for example "
                "http://ollama:11434/v1. A key belongs into the API key, not into the address."
            ),
            code="base_url",
        )


def validate_headers(headers: Any) -> None:
    """A JSON object of what RFC 9110 lets stand in a header, in ASCII."""
    if not (isinstance(headers, dict) and all(map(_is_header, headers.keys(), headers.values()))):
        raise ValidationError(
            _('Enter a JSON object of texts in ASCII, for example {"X-Team": "support"}.'),
            code="headers",
        )


def validate_quirks(quirks: Any) -> None:
    """Unknown names and wrong values are named one by one."""
    try:
        Quirks.model_validate(quirks)
    except pydantic.ValidationError as error:
        problems = (
            f"{'.'.join(str(part) for part in problem['loc'])}: {problem['msg']}"
            for problem in error.errors()
        )
        raise ValidationError([text.lstrip(": ") for text in problems]) from error
    _refuse_unstorable(quirks)


def validate_model_parameters(parameters: Any) -> None:
    """A JSON object whose names leave the request's own parts alone."""
    if not isinstance(parameters, dict):
        raise ValidationError(
            _('Enter a JSON object, for example {"seed": 7}.'), code="not_an_object"
        )
    reserved = sorted(RESERVED_PARAMETERS & parameters.keys())
    if reserved:
        raise ValidationError(
            _("The run sets %(names)s by itself; remove them here.")
            % {"names": ", ".join(reserved)},
            code="reserved_parameter",
        )
    _refuse_unstorable(parameters)


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_port_valid = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and is_port_valid
        and not set("@?#\\") & set(url)
        and url.isprintable()
        and " " not in url
    )


def _is_header(name: str, value: Any) -> bool:
    return (
        _HEADER_NAME.fullmatch(name) is not None
        and isinstance(value, str)
        and _HEADER_VALUE.fullmatch(value) is not None
    )


def _refuse_unstorable(parameters: dict[str, Any]) -> None:
    try:
        text = json.dumps(parameters, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValidationError(
            _("JSON knows no NaN, no Infinity and no half characters."), code="not_json"
        ) from error
    if b"\\u0000" in text:
        raise ValidationError(_("Text may not hold NUL characters."), code="nul")
