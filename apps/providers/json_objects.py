"""JSON that people type into a form."""

from typing import Any

from django.db import models


class JSONObjectField(models.JSONField):
    """A JSON object. Its validators also see `[]` and `""`, which Django would let pass where blank is allowed.

    Nothing typed means `{}`.
    """

    empty_values = []  # noqa: RUF012 -- Django's type

    def clean(self, value: Any, model_instance: models.Model | None) -> Any:
        return super().clean({} if value is None else value, model_instance)
