"""Model services that the environment names, so that a fresh site comes up connected."""

from urllib.parse import urlsplit

from django.conf import settings

from agents.models.endpoints import DEFAULT_BASE_URLS
from apps.providers.models import LanguageModel, ModelProvider


def add_named_providers() -> None:
    """Make the providers and models that the settings name, where they are missing; rows that exist stay.

    Raises ValidationError for an address that is none.
    """
    if settings.OPENAI_API_KEY:
        provider = _provider(
            "openai",
            kind=_kind_behind(settings.OPENAI_BASE_URL),
            base_url=settings.OPENAI_BASE_URL,
            secret=settings.OPENAI_API_KEY,
        )
        if settings.OPENAI_MODEL:
            LanguageModel.objects.get_or_create(provider=provider, name=settings.OPENAI_MODEL)
    if settings.OLLAMA_BASE_URL:
        base_url = _with_version(settings.OLLAMA_BASE_URL)
        _provider("ollama", kind=ModelProvider.Kind.OLLAMA, base_url=base_url)


def _provider(name: str, **fields: str) -> ModelProvider:
    existing = ModelProvider.objects.filter(name=name).first()
    if existing is not None:
        return existing
    provider = ModelProvider(name=name, **fields)
    provider.full_clean()
    provider.save()
    return provider


def _kind_behind(base_url: str) -> ModelProvider.Kind:
    """OpenAI's own parameter names are for OpenAI alone; others speak the protocol as it once was."""
    is_openai = base_url.rstrip("/") in {"", DEFAULT_BASE_URLS["openai"]}
    return ModelProvider.Kind.OPENAI if is_openai else ModelProvider.Kind.OPENAI_COMPATIBLE


def _with_version(base_url: str) -> str:
    """Ollama's address is often given without the /v1 below which it speaks the OpenAI protocol."""
    is_bare = urlsplit(base_url).path in {"", "/"}
    return f"{base_url.rstrip('/')}/v1" if is_bare else base_url
