"""The connection test."""

from typing import Any

import django.db
import pytest

from agents.models.inference import ModelSpec
from apps.providers import connection
from apps.providers.models import LanguageModel, ModelProvider
from tests.fakes.upstream import UpstreamServer, failure, raw, text

pytestmark = pytest.mark.django_db
SECRET = "sk-made-up-0123456789"


def make_provider(base_url: str, **fields: Any) -> ModelProvider:
    return ModelProvider.objects.create(name="Acme", base_url=base_url, secret=SECRET, **fields)


def test_it_lists_the_models(upstream: UpstreamServer) -> None:
    upstream.models = ["b", "a"]
    report = connection.test_connection(make_provider(upstream.url))
    assert report.ok
    assert report.model_names == ("a", "b")
    assert "2 models" in report.text


def test_it_reads_a_list_that_comes_in_pieces(upstream: UpstreamServer) -> None:
    upstream.listing = raw(
        b'{"data": [{"id": "a"},', 0.05, b'{"id": "b"}]}', content_type="application/json"
    )
    report = connection.test_connection(make_provider(upstream.url))
    assert report.model_names == ("a", "b")


def test_it_asks_a_model_where_none_are_listed(upstream: UpstreamServer) -> None:
    upstream.listing = failure(404, {"error": "no such page"})
    upstream.script(text("Hello"))
    provider = make_provider(upstream.url)
    LanguageModel.objects.create(provider=provider, name="m-1")
    report = connection.test_connection(provider)
    assert report.ok
    assert "Acme/m-1 answers" in report.text
    assert upstream.bodies[0]["max_tokens"] <= 16


@pytest.mark.parametrize("status", [401, 500])
def test_it_tells_the_providers_own_words_without_the_key(
    upstream: UpstreamServer, status: int
) -> None:
    upstream.listing = failure(status, {"error": {"message": f"bad key {SECRET}"}})
    report = connection.test_connection(make_provider(upstream.url))
    assert not report.ok
    assert "bad key [redacted]" in report.text


def test_it_reports_a_page_that_is_no_list(upstream: UpstreamServer) -> None:
    upstream.listing = failure(200, "<title>Welcome</title>")
    report = connection.test_connection(make_provider(upstream.url))
    assert not report.ok
    assert "Welcome" in report.text


def test_it_reports_a_service_that_is_not_there() -> None:
    report = connection.test_connection(make_provider("http://127.0.0.1:9/v1"))
    assert not report.ok
    assert report.text == (
        "The provider 'Acme' could not be reached: 127.0.0.1:9 said 'Connection refused'."
    )


def test_it_asks_about_the_base_url_where_nothing_is_found(upstream: UpstreamServer) -> None:
    upstream.listing = failure(404, "<title>404 Not Found</title>")
    report = connection.test_connection(make_provider(upstream.url))
    assert report.text == (
        f"The provider answered 404 Not Found at {upstream.url}/models. "
        "Does the base URL end in /v1?"
    )


def test_it_asks_about_the_base_url_where_neither_list_nor_model_is_found(
    upstream: UpstreamServer,
) -> None:
    upstream.listing = failure(404, {"error": "no such page"})
    upstream.script(failure(404, {"error": "no such page either"}))
    provider = make_provider(upstream.url)
    LanguageModel.objects.create(provider=provider, name="m-1")
    report = connection.test_connection(provider)
    assert report.text == (
        "The model 'Acme/m-1' answered 404: no such page either. Does the base URL end in /v1?"
    )


def test_it_reports_a_service_that_is_silent(upstream: UpstreamServer) -> None:
    upstream.listing = failure(200) + 5.0
    provider = make_provider(upstream.url, first_token_timeout=0.1)
    assert "in time" in connection.test_connection(provider).text


def test_the_demo_needs_no_connection() -> None:
    assert connection.test_connection(make_provider("", kind=ModelProvider.Kind.DEMO)).ok


@pytest.mark.django_db(transaction=True)
def test_no_database_connection_is_held_while_the_provider_is_awaited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    held: list[bool] = []
    database = django.db.connections["default"]  # of this thread; a coroutine would get its own

    async def list_models(_spec: ModelSpec) -> list[str]:
        held.append(database.connection is not None)
        return []

    monkeypatch.setattr(connection, "list_models", list_models)

    connection.test_connection(make_provider("http://127.0.0.1:9/v1"))

    assert held == [False]
