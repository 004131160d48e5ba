"""Reading request bodies: JSON that is small, flat enough and says everything once."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import IO, Any, NoReturn

from django.conf import settings
from django.utils.translation import gettext as _
from rest_framework import status
from rest_framework.exceptions import APIException, ParseError
from rest_framework.parsers import BaseParser

MAXIMUM_DEPTH = 32

# A string literal (also an unfinished one) or a bracket; possessive, so that hostile input stays linear.
_STRING_OR_BRACKET = re.compile(r'"(?:[^"\\]++|\\.)*+"?|[\[\]{}]', re.DOTALL)
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class BodyTooLarge(APIException):
    """The body has more bytes than the site reads."""

    status_code = status.HTTP_413_REQUEST_ENTITY_TOO_LARGE
    default_code = "body_too_large"

    def __init__(self, limit: int) -> None:
        super().__init__(
            _("The request body has more than %(limit)d bytes. Send less at once.")
            % {"limit": limit}
        )


class StrictJSONParser(BaseParser):
    """UTF-8 JSON, ≤ 32 levels deep, no field twice, no NaN, no text that a database cannot store.

    Raises ParseError (400) or BodyTooLarge (413); the charset of the Content-Type is not obeyed.
    """

    media_type = "application/json"

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        body = stream.read(limit + 1)
        if len(body) > limit:
            raise BodyTooLarge(limit)
        return parse_json(body)


def parse_json(body: bytes) -> Any:
    """The value that `body` spells, under the rules of `StrictJSONParser`."""
    try:
        text = body.decode()
    except UnicodeDecodeError as error:
        raise ParseError(_("The request body is not UTF-8.")) from error
    if _depth_exceeds(text, MAXIMUM_DEPTH):
        raise ParseError(
            _("The JSON is nested more than %(depth)d levels deep.") % {"depth": MAXIMUM_DEPTH}
        )
    try:
        value = json.loads(
            text, object_pairs_hook=_object_without_repeats, parse_constant=_refuse_constant
        )
    except ValueError as error:
        raise ParseError(_("The request body is not valid JSON: %s.") % error) from error
    if "\\u" in text and any(_UNSTORABLE.search(text) for text in _texts_in(value)):
        raise ParseError(_("The JSON holds a NUL character or half of a surrogate pair."))
    return value


def _depth_exceeds(text: str, maximum: int) -> bool:
    depth = 0
    for match in _STRING_OR_BRACKET.finditer(text):
        first = match[0][0]
        if first in "[{":
            depth += 1
            if depth > maximum:
                return True
        elif first in "]}":
            depth -= 1
    return False


def _object_without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for name, value in pairs:
        if name in fields:
            raise ParseError(_("The JSON holds the field %r twice.") % name)
        fields[name] = value
    return fields


def _refuse_constant(name: str) -> NoReturn:
    raise ParseError(_("%s is not JSON. Send a number or null.") % name)


def _texts_in(value: Any) -> Iterator[str]:
    match value:
        case str():
            yield value
        case list():
            for item in value:
                yield from _texts_in(item)
        case dict():
            for name, item in value.items():
                yield name
                yield from _texts_in(item)
