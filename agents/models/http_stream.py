"""One streaming HTTP answer of a model service, with its timeouts."""

import asyncio
import json
from collections.abc import AsyncGenerator, Mapping
from contextlib import asynccontextmanager
from typing import Any

import aiohttp

from agents.models.completion import Completion
from agents.models.endpoints import endpoint, request_headers
from agents.models.errors import error_of_response
from agents.models.inference import Delta, ModelCallError, ModelSpec
from agents.models.sessions import shared_session
from agents.models.sse import DataLines
from agents.models.unreachable import unreachable

LONGEST_ERROR_BODY = 64 * 1024
LINGER_AFTER_FINISH = 5.0
LINGER_AFTER_DONE = 0.05


class HttpStream:
    """Reads an answer piece by piece into its completion.

    The first delta may take `first_token_timeout` from the request on, every later payload `idle_timeout`;
    comments and empty chunks are no deltas. A reader that takes its time does not use up the service's.
    Once the service has named a finish reason, silence or a lost connection is the end and no error.
    """

    def __init__(
        self,
        response: aiohttp.ClientResponse,
        completion: Completion,
        *,
        spec: ModelSpec,
        patience: float,
    ) -> None:
        self.completion = completion
        self._response = response
        self._spec = spec
        self._patience = patience
        self._lines = DataLines()
        self._has_begun = False
        self._is_over = False

    async def next_deltas(self) -> list[Delta] | None:
        """The deltas of what arrives next, maybe none; None after the last.

        Raises ModelCallError: model_timeout, upstream_truncated, malformed_stream, or what an event says.
        """
        if self._is_over:
            self._check_complete()
            return None
        received = await self._receive()
        if not received:
            self._is_over = True
            rest = self.completion.take_rest(self._lines.rest(), self._lines.stray)
            return rest + self.completion.flush()
        payloads = self._lines.feed(received)
        deltas = [delta for payload in payloads for delta in self.completion.take(payload)]
        self._has_begun = self._has_begun or bool(deltas)
        if payloads:
            self._renew_patience()
        return deltas

    async def _receive(self) -> bytes:
        """What arrived, or nothing at the end. Only time that is spent here counts as silence."""
        clock = asyncio.get_running_loop().time
        started = clock()
        try:
            async with asyncio.timeout_at(started + self._patience):
                return await self._response.content.readany()
        except (TimeoutError, aiohttp.ClientError, OSError) as error:
            if self.completion.finish_reason:
                return b""
            is_silent = isinstance(error, TimeoutError)
            raise (self._timeout() if is_silent else _truncated(self._spec)) from error
        finally:
            self._patience -= clock() - started

    def _renew_patience(self) -> None:
        """How many seconds of silence may follow a payload."""
        if self.completion.is_done:
            self._patience = LINGER_AFTER_DONE
        elif self.completion.finish_reason:
            self._patience = min(LINGER_AFTER_FINISH, self._spec.idle_timeout)
        elif self._has_begun:
            self._patience = self._spec.idle_timeout

    def _check_complete(self) -> None:
        if not self.completion.finish_reason:
            raise _truncated(self._spec)

    def _timeout(self) -> ModelCallError:
        if self._has_begun:
            silence = f"sent nothing for {self._spec.idle_timeout:g} s in the middle of its answer"
        else:
            silence = f"did not begin to answer within {self._spec.first_token_timeout:g} s"
        return ModelCallError("model_timeout", f"The model {self._spec.label!r} {silence}.")


@asynccontextmanager
async def open_stream(
    spec: ModelSpec, body: Mapping[str, Any], completion: Completion
) -> AsyncGenerator[HttpStream, None]:
    """Send the request; leaving closes the response, and its connection unless it came to its end.

    Raises ModelCallError when the service cannot be reached, does not answer in time or answers no 2xx.
    """
    deadline = asyncio.get_running_loop().time() + spec.first_token_timeout
    response = await _post(spec, body, deadline)
    try:
        if not 200 <= response.status < 300:
            raise await _refusal(spec, response, deadline)
        patience = deadline - asyncio.get_running_loop().time()
        yield HttpStream(response, completion, spec=spec, patience=patience)
    finally:
        response.close()


async def _post(
    spec: ModelSpec, body: Mapping[str, Any], deadline: float
) -> aiohttp.ClientResponse:
    content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
    try:
        async with asyncio.timeout_at(deadline):
            return await shared_session().post(
                endpoint(spec, "/chat/completions"),
                data=content,
                headers=request_headers(spec),
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(total=None, sock_connect=spec.connect_timeout),
            )
    except aiohttp.ConnectionTimeoutError as error:
        silence = f"could not be reached within {spec.connect_timeout:g} s"
        message = f"The model {spec.label!r} {silence}."
        raise ModelCallError("model_timeout", message, is_retryable=True) from error
    except TimeoutError as error:
        silence = f"did not begin to answer within {spec.first_token_timeout:g} s"
        raise ModelCallError("model_timeout", f"The model {spec.label!r} {silence}.") from error
    except (aiohttp.ClientError, OSError) as error:
        raise unreachable(spec, error) from error


async def _refusal(
    spec: ModelSpec, response: aiohttp.ClientResponse, deadline: float
) -> ModelCallError:
    """The error of an answer, with as much of its body as arrives in time."""
    try:
        async with asyncio.timeout_at(deadline):
            body = await read_body(response, LONGEST_ERROR_BODY)
    except (TimeoutError, aiohttp.ClientError, OSError) as error:
        body = str(error)
    return error_of_response(spec, response.status, body, response.headers)


async def read_body(response: aiohttp.ClientResponse, limit: int) -> str:
    """The body as text; of one with more than `limit` bytes, the beginning."""
    body = b""
    while len(body) < limit and (piece := await response.content.readany()):
        body += piece
    return body[:limit].decode("utf-8", "replace")


def _truncated(spec: ModelSpec) -> ModelCallError:
    message = f"The answer of the model {spec.label!r} broke off before its end."
    return ModelCallError("upstream_truncated", message, is_retryable=True)
