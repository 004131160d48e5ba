"""Whether a provider can be reached with what is stored for it."""

import asyncio
from contextlib import aclosing
from dataclasses import dataclass

from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from langchain_core.messages import HumanMessage

from agents.models.catalogue import list_models
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


def test_connection(provider: ModelProvider) -> ConnectionReport:
    """Lists the provider's models; where it cannot list them, one tiny call to its first chat model."""
    if provider.kind == ModelProvider.Kind.DEMO:
        return ConnectionReport(ok=True, text=_("The demo model needs no connection."))
    model = _first_chat_model(provider)
    try:
        return asyncio.run(_connect(provider_spec(provider), model_spec(model) if model else None))
    except ModelCallError as error:
        return ConnectionReport(ok=False, text=error.message)


def _first_chat_model(provider: ModelProvider) -> LanguageModel | None:
    chat = provider.models.filter(kind=LanguageModel.Kind.CHAT, is_enabled=True)
    return chat.select_related("provider").first()


async def _connect(provider: ModelSpec, model: ModelSpec | None) -> ConnectionReport:
    try:
        return _report_models(await list_models(provider))
    except ModelCallError as error:
        if model is None or error.code not in UNLISTED:
            raise
        return await _call(model)
    finally:
        await close_sessions()


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
