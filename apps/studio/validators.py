"""What a value of the configuration has to be beyond its type."""

import json
import math
from typing import Any

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _

# The run itself decides these; a parameter of the same name would quietly override it.
RESERVED_PARAMETERS = frozenset(
    {"model", "messages", "tools", "tool_choice", "stream", "stream_options", "n"}
)


def validate_finite(number: float) -> None:
    """NaN passes every comparison, and no JSON may carry it."""
    if not math.isfinite(number):
        raise ValidationError(_("Enter a finite number."), code="not_finite")


def validate_model_parameters(parameters: Any) -> None:
    """A JSON object whose names leave the request's own parts alone."""
    if not isinstance(parameters, dict):
        raise ValidationError(
            _('Enter a JSON object, for example {"seed": 7}.'), code="not_an_object"
        )
    reserved = sorted(RESERVED_PARAMETERS & parameters.keys())
    if reserved:
        raise ValidationError(
            _("The run sets %(names)s by itself; remove them here.")
            % {"names": ", ".join(reserved)},
            code="reserved_parameter",
        )
    _refuse_unstorable(parameters)


def _refuse_unstorable(parameters: dict[str, Any]) -> None:
    try:
        text = json.dumps(parameters, allow_nan=False, ensure_ascii=False).encode()
    except ValueError as error:
        raise ValidationError(
            _("JSON knows no NaN, no Infinity and no half characters."), code="not_json"
        ) from error
    if b"\\u0000" in text:
        raise ValidationError(_("Text may not hold NUL characters."), code="nul")
