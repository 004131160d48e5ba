"""What calls cost."""

from decimal import Decimal

import pytest

from agents.models.inference import Confidence, UnitPrices, Usage
from agents.models.pricing import cost_of

PRICES = UnitPrices(input=Decimal(2), output=Decimal(8), cached_input=Decimal("0.5"))
FREE = UnitPrices(input=Decimal(0), output=Decimal(0))
USED = Usage(input_tokens=1_000, output_tokens=100, cached_tokens=400)


@pytest.mark.parametrize(
    ("usage", "prices", "cost"),
    [
        (USED, PRICES, Decimal("0.0022")),
        (USED, UnitPrices(input=Decimal(2), output=Decimal(8)), Decimal("0.0028")),
        (USED, FREE, Decimal(0)),
        (USED, None, None),
        (Usage(input_tokens=0, output_tokens=0, confidence=Confidence.UNKNOWN), PRICES, None),
        (Usage(input_tokens=10, output_tokens=0, cached_tokens=99), PRICES, Decimal("0.000005")),
    ],
    ids=["cached", "no cached price", "free", "no price", "no tokens", "more cached than sent"],
)
def test_cost_is_exact_or_unknown(
    usage: Usage, prices: UnitPrices | None, cost: Decimal | None
) -> None:
    assert cost_of(usage, prices) == cost
