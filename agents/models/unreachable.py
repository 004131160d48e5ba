"""Why a model service could not be reached, in words for the people who run the site."""

import os
import ssl

import aiohttp

from agents.models.errors import subject, without_secrets
from agents.models.inference import ModelCallError, ModelSpec


def unreachable(spec: ModelSpec, error: Exception) -> ModelCallError:
    """The error of a connection that could not be made or broke before an answer."""
    is_lasting = isinstance(error, aiohttp.InvalidURL | aiohttp.ClientSSLError)
    cause = without_secrets(spec, _cause(error))
    message = f"{subject(spec)} could not be reached: {cause}."
    return ModelCallError("connection_failed", message, is_retryable=not is_lasting)


def _cause(error: Exception) -> str:
    match error:
        case aiohttp.ClientConnectorCertificateError():
            return f"{error.host}:{error.port} has a certificate that is not trusted"
        case aiohttp.ClientConnectorError():
            return f"{error.host}:{error.port} said {_system_words(error.os_error)!r}"
        case aiohttp.ServerDisconnectedError():
            return "it closed the connection without an answer"
        case aiohttp.InvalidURL():
            return f"{error} is no address"
    return str(error).rstrip(".") or type(error).__name__


def _system_words(error: OSError) -> str:
    """Such as "Connection refused"; names that do not resolve have numbers of their own, below zero."""
    if isinstance(error, ssl.SSLError):
        return error.reason or "no TLS here"
    if error.errno and error.errno > 0:
        return os.strerror(error.errno)
    return error.strerror or str(error)
