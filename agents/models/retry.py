"""Asking again when a model service fails before its first token."""

import asyncio
import random
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing

from agents.models.inference import Delta, Inference, InferenceRequest, ModelCallError, ModelClient

DELAYS = (0.5, 1.0)
LONGEST_WAIT = 30.0
JITTER = 0.25
_random = random.SystemRandom()


async def stream_with_retries(
    client: ModelClient,
    request: InferenceRequest,
    *,
    on_retry: Callable[[ModelCallError, int], None],
) -> AsyncGenerator[Delta | Inference, None]:
    """`client.stream`, tried up to three times as long as nothing has come.

    Only errors that say they are retryable, and whose `Retry-After` is at most 30 s, are tried again;
    `on_retry(error, attempt)` hears of each before the wait, with the number of the attempt that failed.
    """
    for attempt, delay in enumerate((*DELAYS, None), start=1):
        has_begun = False
        try:
            async with aclosing(_stream_once(client, request)) as stream:
                async for item in stream:
                    has_begun = True
                    yield item
            return
        except ModelCallError as error:
            if has_begun or delay is None or not _may_retry(error):
                raise
            on_retry(error, attempt)
            wait = _seconds_to_wait(error, delay)
        await asyncio.sleep(wait)


async def _stream_once(
    client: ModelClient, request: InferenceRequest
) -> AsyncGenerator[Delta | Inference, None]:
    """One try, which ends with the inference; a client that gives none has failed."""
    async with aclosing(client.stream(request)) as stream:
        async for item in stream:
            yield item
            if isinstance(item, Inference):
                return
    raise ModelCallError("malformed_stream", "The model client ended without a final inference.")


def _may_retry(error: ModelCallError) -> bool:
    return error.is_retryable and (error.retry_after or 0.0) <= LONGEST_WAIT


def _seconds_to_wait(error: ModelCallError, delay: float) -> float:
    """As the service asks, else the delay, spread so that failed calls do not return together."""
    if error.retry_after is not None:
        return error.retry_after
    return delay * _random.uniform(1 - JITTER, 1 + JITTER)
