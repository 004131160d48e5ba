"""Django's own error answers, in the API's shape where a program asked (`handler404` and its kin)."""

import logging

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.utils.translation import gettext as _
from django.views import defaults
from rest_framework.exceptions import NotFound
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.api.errors import Problem

logger = logging.getLogger(__name__)


class UnknownPath(APIView):
    """Every path below /api/ that nothing else answers."""

    authentication_classes = ()
    permission_classes = ()
    schema = None

    def initial(self, request: Request, *args: object, **kwargs: object) -> None:
        raise NotFound(
            _("There is no %(path)s here. The paths are listed at /api/docs/.")
            % {"path": request.path},
            code="unknown_path",
        )


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    if not _is_api(request):
        return defaults.bad_request(request, exception)
    text = _("The server cannot read this request: a header or the body is not as it must be.")
    problem = Problem(status=400, code="bad_request", message=text)
    return JsonResponse(problem.as_json(), status=problem.status)


def server_error(request: HttpRequest) -> HttpResponse:
    if not _is_api(request):
        return defaults.server_error(request)
    text = _("The server failed. Tell an operator of this site the number of this request.")
    body = Problem(status=500, code="server_error", message=text).as_json()
    logger.error("Request %s failed", body["request_id"], exc_info=True)
    return JsonResponse(body, status=500)


def _is_api(request: HttpRequest) -> bool:
    return request.path.startswith("/api/")
