"""What a call costs."""

from decimal import Decimal

from agents.models.inference import Confidence, UnitPrices, Usage

PER_MILLION = Decimal(1_000_000)


def cost_of(usage: Usage, prices: UnitPrices | None) -> Decimal | None:
    """The cost in the prices' currency; None where prices or tokens are unknown.

    `cached_tokens` are part of `input_tokens`; without an own price they cost as much as the others.
    """
    if prices is None or usage.confidence is Confidence.UNKNOWN:
        return None
    cached = min(usage.cached_tokens, usage.input_tokens)
    cached_price = prices.input if prices.cached_input is None else prices.cached_input
    total = (
        (usage.input_tokens - cached) * prices.input
        + cached * cached_price
        + usage.output_tokens * prices.output
    )
    return total / PER_MILLION
