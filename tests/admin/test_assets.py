"""Providers, models and tools in the admin."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.studio.drafts import change_draft
from apps.studio.models import App
from apps.studio.publishing import publish
from apps.toolbox.models import Tool
from tests.admin.conftest import Enter, management_form
from tests.fakes.upstream import UpstreamServer

CANARY = "sk-canary-4711"


@pytest.fixture
def guarded(db: None) -> ModelProvider:
    return ModelProvider.objects.create(
        name="Guarded",
        base_url="http://127.0.0.1:9/v1",
        secret=CANARY,
        extra_headers={"X-Token": CANARY},
    )


def provider_form(provider: ModelProvider, **changed: Any) -> dict[str, Any]:
    return {
        "name": provider.name,
        "kind": provider.kind,
        "base_url": provider.base_url,
        "is_enabled": "on",
        "new_secret": "",
        "extra_headers": "{}",
        "connect_timeout": "10",
        "first_token_timeout": "120",
        "idle_timeout": "60",
        **management_form("models", 0),
    } | changed


def page(name: str, row: ModelProvider | LanguageModel | Tool) -> str:
    return reverse(f"admin:{name}", args=[row.pk])


def test_a_stored_secret_is_never_rendered(operator: Client, guarded: ModelProvider) -> None:
    guarded.extra_headers = {}
    guarded.save()

    for name in ("change", "history", "delete", "test_connection"):
        shown = operator.get(page(f"providers_modelprovider_{name}", guarded))
        assert shown.status_code == 200
        assert CANARY not in shown.text


def test_builders_see_neither_the_secret_nor_the_headers(
    enter: Enter, guarded: ModelProvider
) -> None:
    shown = enter("builders").get(page("providers_modelprovider_change", guarded))

    assert shown.status_code == 200
    assert "Guarded" in shown.text
    assert CANARY not in shown.text


@pytest.mark.parametrize(
    ("changed", "stored"),
    [
        ({}, CANARY),
        ({"new_secret": "sk-new"}, "sk-new"),
        ({"remove_secret": "on"}, ""),
        ({"remove_secret": "on", "new_secret": "sk-new"}, "sk-new"),
    ],
    ids=["empty keeps", "replaces", "removes", "replaces although ticked"],
)
def test_a_secret_is_kept_replaced_or_removed(
    operator: Client, guarded: ModelProvider, changed: dict[str, str], stored: str
) -> None:
    address = page("providers_modelprovider_change", guarded)
    answer = operator.post(address, provider_form(guarded, **changed))

    assert answer.status_code == 302
    guarded.refresh_from_db()
    assert guarded.secret == stored


@pytest.mark.parametrize(("secret", "is_offered"), [(CANARY, True), ("", False)])
def test_only_a_stored_secret_can_be_removed(
    operator: Client, guarded: ModelProvider, secret: str, is_offered: bool
) -> None:
    guarded.secret = secret
    guarded.save()

    form = operator.get(page("providers_modelprovider_change", guarded)).text

    assert ("Remove the stored API key" in form) == is_offered


@pytest.mark.parametrize("headers", ["[]", '{"X": 1}', '{"X": "a\\r\\nEvil: 1"}'])
def test_headers_are_texts_without_line_breaks(
    operator: Client, guarded: ModelProvider, headers: str
) -> None:
    address = page("providers_modelprovider_change", guarded)

    answer = operator.post(address, provider_form(guarded, extra_headers=headers))

    assert "Enter a JSON object of texts" in answer.text


def test_a_get_of_the_connection_page_reaches_nobody(
    operator: Client, upstream: UpstreamServer
) -> None:
    provider = ModelProvider.objects.create(name="Local", base_url=upstream.url)

    shown = operator.get(page("providers_modelprovider_test_connection", provider))

    assert "Test now" in shown.text
    assert upstream.requests == []


def test_the_connection_test_shows_what_came_of_it(
    operator: Client, guarded: ModelProvider
) -> None:
    answer = operator.post(page("providers_modelprovider_test_connection", guarded))

    assert answer.status_code == 200
    assert "It does not work" in answer.text
    assert CANARY not in answer.text


@pytest.mark.parametrize(
    ("quirks", "said"),
    [('{"colour": 1}', "colour"), ('{"stream_usage": "perhaps"}', "stream_usage"), ("[]", "dict")],
)
def test_a_wrong_quirk_is_named(
    operator: Client, model: LanguageModel, quirks: str, said: str
) -> None:
    answer = operator.post(
        page("providers_languagemodel_change", model),
        {
            "provider": model.provider_id,
            "name": model.name,
            "kind": "chat",
            "context_window": "32768",
            "default_parameters": "{}",
            "quirks": quirks,
            **management_form("prices", 0),
        },
    )

    assert answer.status_code == 200
    assert said in str(answer.context["adminform"].errors["quirks"])


def test_a_price_is_added_and_the_old_one_stays(operator: Client, model: LanguageModel) -> None:
    old = ModelPrice.objects.create(model=model, input_price=1, output_price=2)
    operator.post(
        page("providers_languagemodel_change", model),
        {
            "provider": model.provider_id,
            "name": model.name,
            "kind": "chat",
            "context_window": "32768",
            "default_parameters": "{}",
            "quirks": "{}",
            **management_form("prices", 1),
            "prices-TOTAL_FORMS": 2,
            "prices-0-id": old.pk,
            "prices-0-input_price": "9",
            "prices-0-output_price": "9",
            "prices-1-input_price": "3",
            "prices-1-output_price": "4",
        },
    )

    prices = model.prices.values_list("input_price", "output_price")
    assert list(prices) == [(Decimal(3), Decimal(4)), (Decimal(1), Decimal(2))]


DELETIONS = {
    "provider": lambda: page("providers_modelprovider_delete", ModelProvider.objects.get()),
    "model": lambda: page("providers_languagemodel_delete", LanguageModel.objects.all()[0]),
    "tool": lambda: page("toolbox_tool_delete", Tool.objects.get(name="clock")),
}


@pytest.mark.parametrize("asset", DELETIONS)
def test_the_page_that_deletes_a_used_asset_names_its_users_and_refuses(
    operator: Client, full_app: App, owner: User, asset: str
) -> None:
    publish(full_app, revision=2, user=owner)
    change_draft(
        full_app, revision=3, changes={"model": None, "auxiliary_model": None, "tools": []}
    )
    Tool.objects.update(is_missing=True)
    count = ModelProvider.objects.count(), LanguageModel.objects.count(), Tool.objects.count()

    shown = operator.get(DELETIONS[asset]())
    operator.post(DELETIONS[asset](), {"post": "yes"})

    assert "travel@1" in shown.text
    left = ModelProvider.objects.count(), LanguageModel.objects.count(), Tool.objects.count()
    assert left == count


def test_an_unused_provider_goes_with_its_models(
    operator: Client, provider: ModelProvider, model: LanguageModel
) -> None:
    operator.post(page("providers_modelprovider_delete", provider), {"post": "yes"})

    assert not ModelProvider.objects.exists()
    assert not LanguageModel.objects.exists()


def test_a_tool_is_switched_but_not_rewritten(operator: Client, tools: list[Tool]) -> None:
    operator.post(
        page("toolbox_tool_change", tools[0]),
        {"is_managed": "on", "timeout": "7", "name": "evil", "risk": "safe", "description": "x"},
    )

    tool = Tool.objects.get(pk=tools[0].pk)
    assert (tool.is_enabled, tool.is_managed, tool.timeout) == (False, True, 7)
    assert (tool.name, tool.description) == ("adder", "adder")
