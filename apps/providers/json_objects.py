"""JSON that people type into a form."""

import json
from typing import Any

from django.db import models

from apps.accounts.encryption import seal, unseal

EMPTY = "{}"


class JSONObjectField(models.JSONField):
    """A JSON object. Its validators also see `[]` and `""`, which Django would let pass where blank is allowed.

    Nothing typed means `{}`.
    """

    empty_values = []  # noqa: RUF012 -- Django's type

    def clean(self, value: Any, model_instance: models.Model | None) -> Any:
        return super().clean({} if value is None else value, model_instance)


class EncryptedJSONObjectField(JSONObjectField):
    """A JSON object, stored as text: a Fernet token, or `{}`, which says nothing.

    It is only read and written whole. Queries cannot look into it; those that try raise FieldError.
    """

    def get_internal_type(self) -> str:
        return "TextField"

    def get_db_prep_value(self, value: Any, connection: Any, prepared: bool = False) -> str:
        return seal(json.dumps(value)) if value else EMPTY

    def from_db_value(self, value: str | None, _expression: object, _connection: object) -> Any:
        if value is None or value == EMPTY:
            return {}
        return json.loads(unseal(value, column=f"{self.model._meta.label}.{self.name}"))

    def get_transform(self, _name: str) -> Any:
        return None

    def get_lookup(self, _name: str) -> None:
        return None
