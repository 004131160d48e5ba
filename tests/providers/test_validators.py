"""What a provider's values may be."""

import pytest
from django.core.exceptions import ValidationError

from apps.providers.models import ModelProvider

pytestmark = pytest.mark.django_db


def problems_of(**fields: object) -> dict[str, list[str]]:
    """What the model says about these values, by field."""
    try:
        ModelProvider(**{"name": "acme", **fields}).full_clean()
    except ValidationError as error:
        return error.message_dict
    return {}


@pytest.mark.parametrize(
    "url",
    [
        "",
        "http://ollama:11434/v1",
        "https://api.openai.com/v1",
        "http://127.0.0.1:8000",
        "http://[::1]:11434/v1/",
        "https://models.example/路径/v1",
    ],
)
def test_an_address_may_be_public_private_or_a_single_label(url: str) -> None:
    assert problems_of(base_url=url) == {}


@pytest.mark.parametrize(
    "url",
    [
        "ollama:11434/v1",
        "ftp://models.example/v1",
        "file:///etc/passwd",
        "http://",
        "http:///v1",
        "http://host:99999/v1",
        "http://host:port/v1",
        "http://[::1/v1",
        "http://sk-key@host/v1",
        "http://host/v1?key=x",
        "http://host/v1#x",
        "http://ho st/v1",
        "http://host\r\nX: y/v1",
    ],
)
def test_another_address_is_refused_with_an_example(url: str) -> None:
    problems = problems_of(base_url=url)
    assert problems.keys() == {"base_url"}
    assert "http://ollama:11434/v1" in problems["base_url"][0]


def test_a_name_has_no_slash() -> None:
    problems = problems_of(name="acme/eu")
    assert problems.keys() == {"name"}
    assert "provider/name" in problems["name"][0]
