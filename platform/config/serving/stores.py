"""Whether the stores of the site answer, asked before it says that it is ready."""

from pathlib import Path
from typing import Any

import psycopg
from django.conf import settings
from django.core.management import CommandError
from django.db import DatabaseError, connection
from redis import Redis, RedisError
from redis.backoff import NoBackoff
from redis.retry import Retry

# Seconds that a store has for taking a connection.
PATIENCE = 3


def check_stores() -> None:
    """Raises CommandError for a database or a Redis that cannot be used."""
    if connection.vendor == "sqlite":
        _open_sqlite(Path(settings.DATABASES["default"]["NAME"]))
    else:
        _reach_postgresql(settings.DATABASES["default"])
    if settings.REDIS_URL:
        _reach_redis(settings.REDIS_URL)


def _open_sqlite(path: Path) -> None:
    """A new file is its owner's alone, like the keys beside it."""
    try:
        path.touch(mode=0o600)
        connection.ensure_connection()
    except (OSError, DatabaseError) as error:
        raise CommandError(
            f"The database {path} cannot be opened: {error}. "
            "Set QUINTET_VAR or DATABASE_URL to a place that this user may write."
        ) from error


def _reach_postgresql(entry: dict[str, Any]) -> None:
    options = {name: value for name, value in entry["OPTIONS"].items() if name != "pool"}
    try:
        psycopg.connect(
            **options,
            host=entry["HOST"],
            port=entry["PORT"] or None,
            dbname=entry["NAME"],
            user=entry["USER"] or None,
            password=entry["PASSWORD"] or None,
            connect_timeout=PATIENCE,
        ).close()
    except psycopg.Error as error:
        words = " ".join(str(error).split())
        raise CommandError(
            f"PostgreSQL cannot be reached ({words}). Start it, or correct DATABASE_URL."
        ) from error


def _reach_redis(url: str) -> None:
    try:
        with Redis.from_url(
            url,
            socket_connect_timeout=PATIENCE,
            socket_timeout=PATIENCE,
            retry=Retry(NoBackoff(), 0),
        ) as redis:
            redis.ping()
    except (RedisError, ValueError) as error:
        raise CommandError(
            f"Redis cannot be reached ({error}). Start it, or correct REDIS_URL."
        ) from error
