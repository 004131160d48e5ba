"""A builder who reads the lists of providers and models cannot guess secrets by narrowing them."""

import pytest
from django.core.exceptions import FieldError

from apps.accounts.roles import BUILDERS
from apps.providers.models import LanguageModel, ModelProvider
from tests.admin.conftest import Enter


@pytest.fixture
def guarded(db: None) -> ModelProvider:
    provider = ModelProvider.objects.create(
        name="guarded", secret="canary-key", extra_headers={"Authorization": "Bearer canary"}
    )
    LanguageModel.objects.create(provider=provider, name="small")
    return provider


@pytest.mark.parametrize(
    ("page", "lookup"),
    [
        ("modelprovider", "extra_headers__Authorization__startswith"),
        ("modelprovider", "extra_headers__icontains"),
        ("modelprovider", "secret__startswith"),
        ("languagemodel", "provider__extra_headers__Authorization__startswith"),
        ("languagemodel", "provider__secret__startswith"),
    ],
)
def test_a_list_is_not_narrowed_by_a_secret(
    enter: Enter, guarded: ModelProvider, page: str, lookup: str
) -> None:
    answer = enter(BUILDERS).get(f"/admin/providers/{page}/", {lookup: "Bearer"})

    assert answer.status_code == 400


@pytest.mark.parametrize(
    ("page", "lookup", "value"),
    [
        ("modelprovider", "kind__exact", "demo"),
        ("modelprovider", "is_enabled__exact", "0"),
        ("languagemodel", "provider__id__exact", "999"),
        ("languagemodel", "kind__exact", "embedding"),
    ],
)
def test_the_filters_of_a_list_narrow_it(
    enter: Enter, guarded: ModelProvider, page: str, lookup: str, value: str
) -> None:
    ModelProvider.objects.create(name="another")

    answer = enter(BUILDERS).get(f"/admin/providers/{page}/", {lookup: value})

    assert answer.status_code == 200
    assert answer.context["cl"].result_count == 0


def test_no_query_looks_into_the_headers(guarded: ModelProvider) -> None:
    with pytest.raises(FieldError):
        ModelProvider.objects.filter(extra_headers__Authorization__startswith="B").exists()
