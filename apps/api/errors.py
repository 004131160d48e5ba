"""The one shape of every error: what happened, to which object, what to do, and a number to ask about."""

import logging
import math
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import (
    NON_FIELD_ERRORS,
    RequestDataTooBig,
    ValidationError,
)
from django.core.exceptions import PermissionDenied as DjangoPermissionDenied
from django.db import DataError, IntegrityError, InterfaceError, OperationalError
from django.db.models import ProtectedError
from django.http import Http404
from django.utils.translation import gettext as _
from rest_framework import exceptions, serializers
from rest_framework.response import Response

from apps.runs.refusal import RunRefused
from apps.studio.deletion import AppWasUsed, AssetInUse
from apps.studio.drafts import StaleRevision

logger = logging.getLogger(__name__)

RETRY_AFTER = "5"


class ErrorShape(serializers.Serializer[Any]):
    """What every answer with a status of 400 and above holds."""

    code = serializers.CharField(help_text="Stable, for programs.")
    message = serializers.CharField(help_text="For people.")
    details = serializers.DictField(help_text="Messages by field, or the values at odds.")
    request_id = serializers.CharField(
        help_text="Also in the server's log where it logs the error."
    )


@dataclass(frozen=True, kw_only=True)
class Problem:
    """An error before it is numbered and sent."""

    status: int
    code: str
    message: str
    details: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)

    def as_json(self) -> dict[str, Any]:
        return {
            "code": self.code,
            "message": self.message,
            "details": dict(self.details),
            "request_id": uuid.uuid4().hex,
        }


def answer_exception(exception: Exception, context: Mapping[str, Any]) -> Response | None:
    """REST framework's exception handler; None lets Django answer 500 (`error_pages.py`)."""
    request = context.get("request")
    problem = problem_of(exception, path=request.path if request else "")
    if problem is None:
        return None
    body = problem.as_json()
    if problem.status >= 500 or isinstance(exception, IntegrityError | DataError):
        logger.error("Request %s failed", body["request_id"], exc_info=exception)
    return Response(body, status=problem.status, headers=dict(problem.headers))


def problem_of(exception: Exception, *, path: str) -> Problem | None:
    """The error that an exception means to a client who asked for `path`; None for a fault of ours."""
    return _of_framework(exception, path) or _of_refusal(exception) or _of_database(exception)


def _of_framework(exception: Exception, path: str) -> Problem | None:
    match exception:
        case exceptions.ValidationError():
            return _invalid(exception.detail)
        case exceptions.NotAuthenticated():
            return _of_api_exception(exception, message=_who_asks())
        case exceptions.APIException():
            return _of_api_exception(exception)
        case ValidationError():
            return _invalid(_messages_by_field(exception))
        case Http404():
            text = _("There is no %(path)s, or it is not yours. Check the address and the key.")
            return Problem(status=404, code="not_found", message=text % {"path": path})
        case DjangoPermissionDenied():
            return _of_api_exception(exceptions.PermissionDenied())
        case RequestDataTooBig():
            text = _("The request body is too large. Send less at once.")
            return Problem(status=413, code="body_too_large", message=text)
        case _:
            return None


def _of_refusal(exception: Exception) -> Problem | None:
    """What our own functions refuse says itself what to do."""
    match exception:
        case RunRefused():
            headers = {"Retry-After": RETRY_AFTER} if exception.status == 429 else {}
            return Problem(
                status=exception.status,
                code=exception.code,
                message=str(exception),
                headers=headers,
            )
        case StaleRevision():
            values = {"given": exception.given, "current": exception.current}
            return Problem(
                status=409, code="stale_revision", message=str(exception), details=values
            )
        case AssetInUse():
            users = {"used_by": exception.users}
            return Problem(status=409, code="in_use", message=str(exception), details=users)
        case AppWasUsed():
            count = {"conversations": exception.count}
            return Problem(status=409, code="in_use", message=str(exception), details=count)
        case _:
            return None


def _of_database(exception: Exception) -> Problem | None:
    match exception:
        case ProtectedError():
            return _in_use(exception)
        case DataError():
            text = _(
                "A value does not fit its place in the database. Send a smaller or shorter one."
            )
            return Problem(status=400, code="invalid", message=text)
        case IntegrityError():
            text = _("Another request changed the same thing first. Read it again and repeat.")
            return Problem(status=409, code="conflict", message=text)
        case OperationalError() | InterfaceError():
            text = _("The database cannot be reached just now. Try again in a few seconds.")
            headers = {"Retry-After": RETRY_AFTER}
            return Problem(status=503, code="database_unavailable", message=text, headers=headers)
        case _:
            return None


def _who_asks() -> str:
    return _(
        "This needs to know who asks. Send the header Authorization: Bearer <API key>, or sign in."
    )


def _of_api_exception(exception: exceptions.APIException, *, message: str = "") -> Problem:
    headers = {}
    if header := getattr(exception, "auth_header", ""):
        headers["WWW-Authenticate"] = header
    if wait := getattr(exception, "wait", None):
        headers["Retry-After"] = str(math.ceil(wait))
    return Problem(
        status=exception.status_code,
        code=str(exception.get_codes()),
        message=message or str(exception.detail),
        headers=headers,
    )


def _invalid(detail: Any) -> Problem:
    details = detail if isinstance(detail, Mapping) else {NON_FIELD_ERRORS: detail}
    return Problem(
        status=400,
        code="invalid",
        message=" ".join(_sentences(details)),
        details=details,
    )


def _sentences(detail: Any, path: str = "") -> Iterator[str]:
    match detail:
        case Mapping():
            for name, value in detail.items():
                yield from _sentences(value, f"{path}.{name}" if path else str(name))
        case list():
            for value in detail:
                yield from _sentences(value, path)
        case _:
            is_general = path in {"", NON_FIELD_ERRORS, "non_field_errors"}
            yield str(detail) if is_general else f"{path}: {detail}"


def _messages_by_field(exception: ValidationError) -> dict[str, list[str]]:
    if hasattr(exception, "error_dict"):
        return exception.message_dict
    return {NON_FIELD_ERRORS: exception.messages}


def _in_use(exception: ProtectedError) -> Problem:
    users = sorted({f"{row._meta.verbose_name} {row}" for row in exception.protected_objects})
    shown = users[:20]
    return Problem(
        status=409,
        code="in_use",
        message=_("It is still used by: %(users)s. Remove it there first.")
        % {"users": ", ".join(shown)},
        details={"used_by": shown},
    )
