"""What a model's tokens cost: the operator's price, else the public list price, else unknown."""

from decimal import Decimal
from functools import lru_cache

import genai_prices
from django.conf import settings

from agents.models.inference import UnitPrices
from apps.providers.models import LanguageModel, ModelProvider

LISTED_CURRENCY = "USD"
SAMPLE = 1_000
FREE = Decimal(0)


def unit_prices(model: LanguageModel) -> UnitPrices | None:
    """Prices per million tokens in the site's currency; None where nobody knows them, never 0."""
    newest = model.prices.first()
    if newest is not None:
        return UnitPrices(
            input=newest.input_price,
            output=newest.output_price,
            cached_input=newest.cached_input_price,
            currency=settings.CURRENCY,
        )
    provider = model.provider
    if provider.kind == ModelProvider.Kind.DEMO:
        return UnitPrices(input=FREE, output=FREE, currency=settings.CURRENCY)
    if settings.CURRENCY != LISTED_CURRENCY:
        return None
    return list_prices(provider.kind, provider.base_url, model.name)


@lru_cache(maxsize=512)
def list_prices(kind: str, base_url: str, model_name: str) -> UnitPrices | None:
    """The public list price, in USD, of a model at a service that genai-prices knows; offline."""
    try:
        plain = _price(kind, base_url, model_name, genai_prices.Usage(input_tokens=SAMPLE))
        cached = _price(
            kind,
            base_url,
            model_name,
            genai_prices.Usage(input_tokens=SAMPLE, cache_read_tokens=SAMPLE),
        )
        written = _price(kind, base_url, model_name, genai_prices.Usage(output_tokens=SAMPLE))
    except LookupError:
        return None
    return UnitPrices(input=plain, output=written, cached_input=cached, currency=LISTED_CURRENCY)


def _price(kind: str, base_url: str, model_name: str, usage: genai_prices.Usage) -> Decimal:
    """Per million tokens, from the lowest tier. Raises LookupError for an unknown service or model."""
    if base_url:
        calculation = genai_prices.calc_price(usage, model_name, provider_api_url=base_url)
    else:
        calculation = genai_prices.calc_price(usage, model_name, provider_id=kind)
    return Decimal(calculation.total_price) * 1_000_000 / SAMPLE
