"""What a value of the configuration has to be beyond its type."""

import math

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def validate_finite(number: float) -> None:
    """NaN passes every comparison, and no JSON may carry it."""
    if not math.isfinite(number):
        raise ValidationError(_("Enter a finite number."), code="not_finite")
