"""Testing a provider's connection over REST."""

import pytest

from apps.providers.models import ModelProvider
from apps.runs.database import in_database
from apps.runs.home import RunHome
from tests.api.conftest import AsyncProgram, Program
from tests.fakes.upstream import UpstreamServer, failure

pytestmark = [pytest.mark.urls("apps.api.urls"), pytest.mark.django_db(transaction=True)]


async def test_an_operator_learns_what_the_provider_offers(
    operator: Program, upstream: UpstreamServer, home: RunHome
) -> None:
    upstream.models = ["b", "a"]
    provider = await in_database(
        ModelProvider.objects.create, name="acme", base_url=upstream.url, secret="canary-secret"
    )

    answer = await AsyncProgram(operator.secret).post(f"model-providers/{provider.pk}/test")

    assert answer.status_code == 200
    assert answer.json() == {
        "ok": True,
        "text": "Connected. The provider lists 2 models.",
        "model_names": ["a", "b"],
    }


async def test_a_failure_is_a_report_without_the_secret(
    operator: Program, upstream: UpstreamServer, home: RunHome
) -> None:
    upstream.listing = failure(401, {"error": {"message": "bad key canary-secret"}})
    provider = await in_database(
        ModelProvider.objects.create, name="acme", base_url=upstream.url, secret="canary-secret"
    )

    answer = await AsyncProgram(operator.secret).post(f"model-providers/{provider.pk}/test")

    assert (answer.status_code, answer.json()["ok"]) == (200, False)
    assert "bad key [redacted]" in answer.json()["text"]


async def test_an_unknown_provider_is_not_found(operator: Program) -> None:
    answer = await AsyncProgram(operator.secret).post("model-providers/4711/test")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
