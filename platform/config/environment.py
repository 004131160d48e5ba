"""Reading the environment: a value that cannot be is one clear sentence."""

from collections.abc import Collection
from pathlib import Path
from typing import Any

import environ
from django.core.exceptions import ImproperlyConfigured

from config.keys import stored_key

DATABASES = ("sqlite", "postgres", "postgresql", "psql", "pgsql")


class WrongSettingError(ImproperlyConfigured):
    """A value of the environment that cannot be; the message says which, why, and what to do."""


class Environment(environ.Env):
    """django-environ, which names the variable when its value is of the wrong kind."""

    def get_value(self, var: str, cast: Any = None, *args: Any, **options: Any) -> Any:
        """As in django-environ; raises WrongSettingError."""
        try:
            return super().get_value(var, cast, *args, **options)
        except ValueError as error:
            given = self.ENVIRON.get(var)
            kind = {int: "a whole number", float: "a number"}.get(cast, "another value")
            raise WrongSettingError(f"{var} is {given!r}; it must be {kind}.") from error

    def one_of(self, var: str, known: Collection[str], *, default: str) -> str:
        """A word that must be known; raises WrongSettingError."""
        given = str(self.get_value(var, default=default))
        if given in known:
            return given
        names = (
            f"one of {', '.join(known)}" if len(known) < 10 else f"a known one, such as {default}"
        )
        raise WrongSettingError(f"{var} is {given!r}; it must be {names}.")


def database_entry(url: str) -> dict[str, Any]:
    """Django's entry for a database; raises WrongSettingError, which never holds the password."""
    scheme, _, rest = url.partition(":")
    if scheme not in DATABASES or not rest.startswith("//"):
        raise WrongSettingError(
            f"DATABASE_URL begins with {scheme[:20]!r}; it must be "
            "postgres://user:password@host:5432/name or sqlite:///path."
        )
    try:
        entry: dict[str, Any] = environ.Env.db_url_config(url)
    except ValueError as error:
        raise WrongSettingError(
            "DATABASE_URL cannot be read. Write postgres://user:password@host:5432/name, with special "
            "characters of the password as %XX."
        ) from error
    return entry


def key_in(folder: Path, name: str, *, size: int) -> str:
    """The stored key of this name, `size` bytes, made on first use; raises WrongSettingError."""
    try:
        return stored_key(folder / name, size=size)
    except OSError as error:
        raise WrongSettingError(
            f"QUINTET_VAR is {folder}, where {name} cannot be kept ({error.strerror}). "
            "Name a folder that this user may write."
        ) from error
