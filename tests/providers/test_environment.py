"""Providers that the environment names."""

from io import StringIO
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.core.management import CommandError, call_command

from apps.providers.environment import add_named_providers
from apps.providers.models import LanguageModel, ModelProvider

pytestmark = pytest.mark.django_db

NAMES = ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "OLLAMA_BASE_URL")


@pytest.fixture(autouse=True)
def _named_nowhere(settings: Any) -> None:
    """Whoever runs the tests may have such a key."""
    for name in NAMES:
        setattr(settings, name, "")


def test_an_empty_environment_adds_nothing() -> None:
    add_named_providers()

    assert not ModelProvider.objects.exists()


def test_a_key_adds_openai_with_the_named_model(settings: Any) -> None:
    settings.OPENAI_API_KEY = "sk-canary"
    settings.OPENAI_MODEL = "gpt-5-mini"

    add_named_providers()

    provider = ModelProvider.objects.get()
    assert (provider.name, provider.kind, provider.base_url) == ("openai", "openai", "")
    assert provider.secret == "sk-canary"
    assert LanguageModel.objects.get().name == "gpt-5-mini"


def test_a_key_without_a_model_adds_the_provider_alone(settings: Any) -> None:
    settings.OPENAI_API_KEY = "sk-canary"

    add_named_providers()

    assert ModelProvider.objects.get().models.count() == 0


@pytest.mark.parametrize(
    ("base_url", "kind"),
    [
        ("https://api.openai.com/v1/", "openai"),
        ("http://vllm:8000/v1", "openai_compatible"),
    ],
)
def test_another_address_is_another_kind(settings: Any, base_url: str, kind: str) -> None:
    settings.OPENAI_API_KEY = "sk-canary"
    settings.OPENAI_BASE_URL = base_url

    add_named_providers()

    assert (ModelProvider.objects.get().kind, ModelProvider.objects.get().base_url) == (
        kind,
        base_url,
    )


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("http://ollama:11434", "http://ollama:11434/v1"),
        ("http://ollama:11434/", "http://ollama:11434/v1"),
        ("http://ollama:11434/v1", "http://ollama:11434/v1"),
        ("https://models.example/ollama/v1", "https://models.example/ollama/v1"),
    ],
)
def test_ollama_is_reached_below_v1(settings: Any, given: str, stored: str) -> None:
    settings.OLLAMA_BASE_URL = given

    add_named_providers()

    provider = ModelProvider.objects.get()
    assert (provider.name, provider.kind, provider.base_url) == ("ollama", "ollama", stored)


def test_what_an_operator_changed_stays(settings: Any) -> None:
    settings.OPENAI_API_KEY = "sk-canary"
    settings.OPENAI_MODEL = "gpt-5-mini"
    settings.OLLAMA_BASE_URL = "http://ollama:11434"
    add_named_providers()
    ModelProvider.objects.update(base_url="https://proxy.example/v1", is_enabled=False)
    LanguageModel.objects.update(is_enabled=False, context_window=8192)
    before = list(ModelProvider.objects.values()), list(LanguageModel.objects.values())

    add_named_providers()

    assert (list(ModelProvider.objects.values()), list(LanguageModel.objects.values())) == before


def test_an_address_that_is_none_is_refused(settings: Any) -> None:
    settings.OLLAMA_BASE_URL = "ollama:11434"

    with pytest.raises(ValidationError, match="http://ollama:11434/v1"):
        add_named_providers()

    assert not ModelProvider.objects.exists()


def test_a_start_adds_them_beside_the_demo(settings: Any) -> None:
    settings.OPENAI_API_KEY = "sk-canary"

    call_command("demo", stdout=StringIO())

    assert {provider.name for provider in ModelProvider.objects.all()} == {"demo", "openai"}


def test_a_start_with_a_wrong_address_says_which_setting(settings: Any) -> None:
    settings.OLLAMA_BASE_URL = "ollama:11434"

    with pytest.raises(CommandError, match="OLLAMA_BASE_URL"):
        call_command("demo", stdout=StringIO())
