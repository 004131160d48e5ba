"""What a provider's values may be."""

import pytest
from django.core.exceptions import ValidationError

from apps.providers.models import LanguageModel, ModelProvider

pytestmark = pytest.mark.django_db


def problems_of(**fields: object) -> dict[str, list[str]]:
    """What a provider says about these values, by field."""
    return _problems(ModelProvider(**{"name": "acme", **fields}))


def problems_of_model(**fields: object) -> dict[str, list[str]]:
    """What a language model says about these values, by field."""
    provider = ModelProvider.objects.create(name="acme")
    return _problems(LanguageModel(**{"provider": provider, "name": "m", **fields}))


def _problems(row: ModelProvider | LanguageModel) -> dict[str, list[str]]:
    try:
        row.full_clean()
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


@pytest.mark.parametrize(
    "headers",
    [[], "", "x", 1, {"X": 1}, {"X": "a\r\nEvil: 1"}, {"X Y": "a"}, {"": "a"}, {"X": "ü"}],
)
def test_headers_are_an_object_of_texts_that_may_stand_in_a_header(headers: object) -> None:
    assert problems_of(extra_headers=headers).keys() == {"extra_headers"}


def test_headers_that_may_be_sent_are_taken() -> None:
    assert problems_of(extra_headers={"X-Team": "support: tier 1"}) == {}


@pytest.mark.parametrize("field", ["default_parameters", "quirks"])
@pytest.mark.parametrize(
    "value",
    [[], "", "x", {"extra_body": {"x": float("nan")}}, {"extra_body": {"x": "\x00"}}],
    ids=["list", "nothing", "text", "NaN", "NUL"],
)
def test_what_is_no_storable_object_is_refused(field: str, value: object) -> None:
    assert problems_of_model(**{field: value}).keys() == {field}


@pytest.mark.parametrize("name", ["model", "messages", "tools", "stream", "n"])
def test_a_default_parameter_never_overrides_the_request_itself(name: str) -> None:
    problems = problems_of_model(default_parameters={name: 1, "seed": 7})
    assert name in problems["default_parameters"][0]


def test_every_wrong_quirk_is_named() -> None:
    problems = problems_of_model(quirks={"colour": 1, "stream_usage": "perhaps"})
    assert [text.partition(":")[0] for text in problems["quirks"]] == ["stream_usage", "colour"]


def test_nothing_typed_is_an_empty_object() -> None:
    provider = ModelProvider(name="acme", extra_headers=None)
    provider.full_clean()
    assert provider.extra_headers == {}
