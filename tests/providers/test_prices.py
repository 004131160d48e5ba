"""Prices: the operator's, else the public list's, else unknown."""

from decimal import Decimal
from typing import Any

import pytest

from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.providers.prices import unit_prices

pytestmark = pytest.mark.django_db
Kind = ModelProvider.Kind


def make_model(name: str, *, kind: str, base_url: str = "") -> LanguageModel:
    provider = ModelProvider.objects.create(name="Acme", kind=kind, base_url=base_url)
    return LanguageModel.objects.create(provider=provider, name=name)


def test_the_newest_price_of_the_operator_wins() -> None:
    model = make_model("gpt-4o", kind=Kind.OPENAI)
    ModelPrice.objects.create(model=model, input_price=1, output_price=2)
    ModelPrice.objects.create(model=model, input_price=0, output_price=4, cached_input_price="0.5")
    prices = unit_prices(model)
    assert prices is not None
    assert (prices.input, prices.output, prices.cached_input) == (
        Decimal(0),
        Decimal(4),
        Decimal("0.5"),
    )


def test_a_known_model_costs_its_list_price() -> None:
    prices = unit_prices(make_model("gpt-4o", kind=Kind.OPENAI))
    assert prices is not None
    assert (prices.input, prices.output) == (Decimal("2.5"), Decimal(10))
    assert prices.cached_input == Decimal("1.25")
    assert prices.currency == "USD"


def test_a_known_service_is_recognised_by_its_address() -> None:
    model = make_model(
        "deepseek-chat", kind=Kind.OPENAI_COMPATIBLE, base_url="https://api.deepseek.com/v1"
    )
    prices = unit_prices(model)
    assert prices is not None
    assert prices.input > 0


@pytest.mark.parametrize(
    ("name", "kind", "base_url"),
    [
        ("gpt-4o", Kind.OPENAI_COMPATIBLE, "http://127.0.0.1:9/v1"),
        ("gpt-4o", Kind.OPENAI, "http://proxy.example/v1"),
        ("no-such-model", Kind.OPENAI, ""),
        ("llama3", Kind.OLLAMA, ""),
        ("fake", Kind.OPENAI_COMPATIBLE, ""),
    ],
    ids=["local service", "proxy", "unknown model", "Ollama", "no address"],
)
def test_what_nobody_knows_is_unknown(name: str, kind: str, base_url: str) -> None:
    assert unit_prices(make_model(name, kind=kind, base_url=base_url)) is None


def test_list_prices_are_not_taken_for_another_currency(settings: Any) -> None:
    settings.CURRENCY = "CNY"
    assert unit_prices(make_model("gpt-4o", kind=Kind.OPENAI)) is None


def test_the_demo_is_free() -> None:
    prices = unit_prices(make_model("demo", kind=Kind.DEMO))
    assert prices is not None
    assert prices.input == prices.output == 0
