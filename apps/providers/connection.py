"""Whether a provider can be reached with what is stored for it."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from django.db import close_old_connections
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from langchain_core.messages import HumanMessage

from agents.models.catalogue import list_models
from agents.models.endpoints import endpoint
from agents.models.inference import Inference, InferenceRequest, ModelCallError, ModelSpec
from agents.models.loading import load_client
from agents.models.sessions import close_sessions
from apps.providers.models import LanguageModel, ModelProvider
from apps.providers.specs import model_spec, provider_spec

UNLISTED = frozenset({"model_not_found", "bad_request"})
TINY_ANSWER = 16


@dataclass(frozen=True, kw_only=True)
class ConnectionReport:
    """What came of it, for an operator; `text` holds the provider's own words and no secret."""

    ok: bool
    text: str
    model_names: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class ConnectionTarget:
    """Whom to ask: the provider, and its first chat model, if it has one."""

    provider: ModelSpec
    model: ModelSpec | None


def connection_target(provider: ModelProvider) -> ConnectionTarget:
    """All that a test needs of the database."""
    chat = provider.models.filter(kind=LanguageModel.Kind.CHAT, is_enabled=True)
    model = chat.select_related("provider").first()
    return ConnectionTarget(
        provider=provider_spec(provider), model=model_spec(model) if model else None
    )


async def try_connection(target: ConnectionTarget) -> ConnectionReport:
    """Lists the provider's models; where it cannot list them, one tiny call to its first chat model."""
    if target.provider.kind == ModelProvider.Kind.DEMO:
        return ConnectionReport(ok=True, text=_("The demo model needs no connection."))
    try:
        return await _connect(target)
    except ModelCallError as error:
        return ConnectionReport(ok=False, text=_explain(target, error))


def _explain(target: ConnectionTarget, error: ModelCallError) -> str:
    """The provider's words; what most 404s mean is a question."""
    if error.code != "model_not_found":
        return error.message
    question = _("Does the base URL end in /v1?")
    if target.model is not None:
        return f"{error.message.rstrip('.')}. {question}"
    answered = _("The provider answered 404 Not Found at %(url)s.")
    return f"{answered % {'url': endpoint(target.provider, '/models')}} {question}"


def test_connection(provider: ModelProvider) -> ConnectionReport:
    """`try_connection` for callers without an event loop. They hold no database connection meanwhile."""
    target = connection_target(provider)
    close_old_connections()
    return asyncio.run(_try_alone(target))


async def _try_alone(target: ConnectionTarget) -> ConnectionReport:
    try:
        return await try_connection(target)
    finally:
        await close_sessions()


async def _connect(target: ConnectionTarget) -> ConnectionReport:
    try:
        return _report_models(await list_models(target.provider))
    except ModelCallError as error:
        if target.model is None or error.code not in UNLISTED:
            raise
        return await _call(target.model)


def _report_models(names: list[str]) -> ConnectionReport:
    text = ngettext(
        "Connected. The provider lists %(count)d model.",
        "Connected. The provider lists %(count)d models.",
        len(names),
    ) % {"count": len(names)}
    return ConnectionReport(ok=True, text=text, model_names=tuple(names))


async def _call(model: ModelSpec) -> ConnectionReport:
    request = InferenceRequest(
        messages=[HumanMessage("Say hello.")], parameters={"max_tokens": TINY_ANSWER}
    )
    async with aclosing(load_client(model).stream(request)) as stream:
        async for item in stream:
            if isinstance(item, Inference):
                break
    text = _("Connected. The provider lists no models, but %(model)s answers.")
    return ConnectionReport(ok=True, text=text % {"model": model.label}, model_names=(model.name,))
