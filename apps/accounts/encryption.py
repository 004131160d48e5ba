"""Secrets at rest: a text column that only the key list in the settings can read."""

from functools import cache
from typing import Any

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import models


@cache
def _cipher(keys: tuple[str, ...]) -> MultiFernet:
    return MultiFernet([Fernet(key) for key in keys])


def cipher() -> MultiFernet:
    """The first of `FIELD_ENCRYPTION_KEYS` encrypts, all of them decrypt."""
    return _cipher(tuple(settings.FIELD_ENCRYPTION_KEYS))


def seal(text: str) -> str:
    """The Fernet token that holds `text`."""
    return cipher().encrypt(text.encode()).decode()


def unseal(token: str, *, column: str) -> str:
    """The text in a token; raises ImproperlyConfigured, naming `column`, when no key reads it."""
    try:
        return cipher().decrypt(token.encode()).decode()
    except InvalidToken as error:
        raise ImproperlyConfigured(
            f"{column} cannot be decrypted: FIELD_ENCRYPTION_KEYS lacks "
            "the key it was written with. Add that key to the list."
        ) from error


class EncryptedTextField(models.TextField):  # type: ignore[type-arg] # generic only in the stubs
    """Text that is stored as a Fernet token; an unreadable token is an error, never a silent value."""

    def get_prep_value(self, value: Any) -> Any:
        value = super().get_prep_value(value)
        return seal(value) if value else value

    def from_db_value(
        self, value: str | None, _expression: object, _connection: object
    ) -> str | None:
        return unseal(value, column=f"{self.model._meta.label}.{self.name}") if value else value
