"""From provider and model rows to the runtime's spec."""

from decimal import Decimal
from typing import Any

import pytest

from agents.models.loading import load_client
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.providers.specs import model_spec

pytestmark = pytest.mark.django_db


def make_model(**provider: Any) -> LanguageModel:
    account = ModelProvider.objects.create(name="Acme", secret=" sk-made-up-01 \n", **provider)
    return LanguageModel.objects.create(
        provider=account,
        name="m-1",
        tool_call=False,
        context_window=8_192,
        default_parameters={"temperature": 0.1},
        quirks={"stream_usage": False},
    )


def test_a_spec_says_what_the_rows_say(django_assert_num_queries: Any) -> None:
    model = make_model(base_url="http://127.0.0.1:1/v1", extra_headers={"x-a": "b"}, idle_timeout=3)
    ModelPrice.objects.create(model=model, input_price=1, output_price=2)
    read = LanguageModel.objects.select_related("provider").get(pk=model.pk)
    with django_assert_num_queries(1):
        spec = model_spec(read)
    assert (spec.kind, spec.name, spec.label) == ("openai_compatible", "m-1", "Acme/m-1")
    assert (spec.base_url, spec.secret) == ("http://127.0.0.1:1/v1", "sk-made-up-01")
    assert (spec.extra_headers, spec.idle_timeout) == ({"x-a": "b"}, 3)
    assert (spec.tool_call, spec.context_window) == (False, 8_192)
    assert (spec.parameters, spec.quirks) == ({"temperature": 0.1}, {"stream_usage": False})
    assert spec.prices is not None
    assert (spec.prices.input, spec.row_id) == (Decimal(1), model.pk)


def test_a_spec_hides_its_secret() -> None:
    assert "sk-made-up-01" not in repr(model_spec(make_model()))


@pytest.mark.parametrize("kind", ModelProvider.Kind.values)
def test_every_kind_has_a_client(kind: str) -> None:
    spec = model_spec(make_model(kind=kind))
    assert load_client(spec).spec is spec
