"""Endpoints that wait: REST framework's view with an async middle, so that there is no second way in."""

from typing import Any

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from rest_framework.request import Request

from apps.api.resources import ResourceView
from apps.runs.database import in_database


class AsyncResourceView(ResourceView):
    """Authentication, permissions and throttles are the inherited ones; handlers are coroutines.

    A handler touches the database only through `in_database`, and there it reads the body too: a large one
    takes long enough to hold up everybody on the loop.
    """

    http_method_names = ["get", "post"]  # noqa: RUF012 -- Django's type

    async def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:  # type: ignore[override]
        self.args, self.kwargs = args, kwargs
        self.request = self.initialize_request(request, *args, **kwargs)
        self.headers = self.default_response_headers
        try:
            response = await self._respond(self.request)
        except Exception as error:  # noqa: BLE001 -- the process edge: what it cannot name it raises again
            response = self.handle_exception(error)
        return self.finalize_response(self.request, response, *args, **kwargs)  # type: ignore[arg-type]

    async def _respond(self, request: Request) -> HttpResponseBase:
        await in_database(self.initial, request, *self.args, **self.kwargs)
        method = str(request.method).lower()
        if method not in self.http_method_names or not hasattr(self, method):
            self.http_method_not_allowed(request)
        response: HttpResponseBase = await getattr(self, method)(request, *self.args, **self.kwargs)
        return response
