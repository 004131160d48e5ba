"""Services that cannot be reached: the words are ours, not those of an HTTP library."""

import socket
import ssl

import aiohttp
import pytest
from aiohttp.client_reqrep import ConnectionKey

from agents.models.inference import ModelSpec
from agents.models.unreachable import unreachable

KEY = ConnectionKey("models.example", 443, True, True, None, None, None)
SPEC = ModelSpec(kind="openai", name="m", label="acme/m")


@pytest.mark.parametrize(
    ("error", "cause", "is_retryable"),
    [
        pytest.param(
            aiohttp.ClientConnectorError(KEY, ConnectionRefusedError(111, "Connect call failed")),
            "models.example:443 said 'Connection refused'",
            True,
            id="refused",
        ),
        pytest.param(
            aiohttp.ClientConnectorDNSError(KEY, socket.gaierror(-2, "Name or service not known")),
            "models.example:443 said 'Name or service not known'",
            True,
            id="unknown name",
        ),
        pytest.param(
            aiohttp.ClientConnectorCertificateError(KEY, ssl.SSLError("self-signed")),
            "models.example:443 has a certificate that is not trusted",
            False,
            id="certificate",
        ),
        pytest.param(
            aiohttp.ServerDisconnectedError(),
            "it closed the connection without an answer",
            True,
            id="closed",
        ),
    ],
)
def test_the_cause_is_named_without_the_words_of_the_library(
    error: Exception, cause: str, is_retryable: bool
) -> None:
    told = unreachable(SPEC, error)

    assert told.message == f"The model 'acme/m' could not be reached: {cause}."
    assert told.is_retryable is is_retryable
