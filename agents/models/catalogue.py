"""What a model service offers."""

import asyncio
import json
from typing import Any

import aiohttp

from agents.models.endpoints import endpoint, request_headers
from agents.models.errors import error_of_page, error_of_response, subject
from agents.models.http_stream import read_body
from agents.models.inference import ModelCallError, ModelSpec
from agents.models.sessions import shared_session
from agents.models.unreachable import unreachable

LONGEST_LIST = 8 * 1024 * 1024


async def list_models(spec: ModelSpec) -> list[str]:
    """The names of the service's models, sorted. Raises ModelCallError."""
    try:
        async with asyncio.timeout(spec.first_token_timeout):
            return _names(spec, await _get(spec, "/models"))
    except TimeoutError as error:
        seconds = f"{spec.connect_timeout:g} s to connect, {spec.first_token_timeout:g} s to answer"
        message = f"{subject(spec)} did not list its models in time ({seconds})."
        raise ModelCallError("model_timeout", message) from error
    except (aiohttp.ClientError, OSError) as error:
        raise unreachable(spec, error) from error


async def _get(spec: ModelSpec, path: str) -> str:
    request = shared_session().get(
        endpoint(spec, path),
        headers=request_headers(spec),
        allow_redirects=False,
        timeout=aiohttp.ClientTimeout(total=None, sock_connect=spec.connect_timeout),
    )
    async with request as response:
        body = await read_body(response, LONGEST_LIST)
        if not 200 <= response.status < 300:
            raise error_of_response(spec, response.status, body, response.headers)
        return body


def _names(spec: ModelSpec, body: str) -> list[str]:
    """From `{"data": [{"id": …}]}`, or the bare list that some services send."""
    try:
        content: Any = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise error_of_page(spec, body) from error
    listed = content.get("data") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise error_of_page(spec, body)
    names = (one.get("id") or one.get("name") for one in listed if isinstance(one, dict))
    return sorted({name for name in names if isinstance(name, str)})
