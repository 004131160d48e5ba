"""What tests are given. Stores come from DATABASE_URL and REDIS_URL; without them, SQLite and own servers."""

import itertools
import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.db.backends.utils import CursorWrapper

from apps.runs.database import close_connections
from tests.fakes.upstream import UpstreamServer
from tests.running_site import RunningSite
from tests.throwaway.postgresql import PostgresCluster, database_of_its_own
from tests.throwaway.redis_server import RedisServer

TESTS = Path(__file__).parent
UNCOUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PRAGMA")
MARKED_FOLDERS = ("e2e", "scenarios")
SITES_ON_REDIS = 100  # numbered databases of one Redis for one worker of pytest-xdist

StartSite = Callable[..., RunningSite]


def pytest_configure() -> None:
    """Passwords of tests need no costly hash; users of many tests share a number, whose questions add up.

    The cache is each process's own: clearing Redis' would take the event logs of other tests with it.
    """
    settings.QUESTIONS_PER_MINUTE = 10_000
    settings.CACHES["default"] = {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Function]) -> None:
    """A test's folder and fixtures say where it runs, so that none is forgotten on PostgreSQL and Redis."""
    for item in items:
        folder = item.path.relative_to(TESTS).parts[0]
        if folder in MARKED_FOLDERS:
            item.add_marker(folder)
        if item.get_closest_marker("django_db") or {"db", "redis_url"} & set(item.fixturenames):
            item.add_marker("stores")


@pytest.fixture(scope="session")
def django_db_modify_db_settings(
    django_db_modify_db_settings_parallel_suffix: None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """Test runs that go on at the same time share no SQLite file."""
    database = settings.DATABASES["default"]
    if database["ENGINE"] == "django.db.backends.sqlite3":
        database["TEST"]["NAME"] = str(tmp_path_factory.mktemp("database") / "test.sqlite3")


@pytest.fixture(autouse=True)
def _database_threads_end_with_the_test(request: pytest.FixtureRequest) -> Iterator[None]:
    """Runs reach the database from threads of their own; their connections must not outlive its tables."""
    marker = request.node.get_closest_marker("django_db")
    is_committing = "transactional_db" in request.fixturenames or (
        marker is not None and marker.kwargs.get("transaction", False)
    )
    if is_committing:
        request.getfixturevalue("transactional_db")
    yield
    if is_committing:
        close_connections()


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SQL of every thread, without transaction control."""
    seen: list[str] = []
    execute = CursorWrapper.execute

    def counted(self: CursorWrapper, sql: Any, params: Any = None) -> Any:
        if not str(sql).lstrip().upper().startswith(UNCOUNTED):
            seen.append(str(sql))
        return execute(self, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", counted)
    return seen


@pytest.fixture
def upstream() -> Iterator[UpstreamServer]:
    """A scripted model service."""
    with UpstreamServer() as server:
        yield server


@pytest.fixture(scope="session")
def redis_url() -> Iterator[str]:
    """A Redis that answers; every test uses keys of its own."""
    if given := os.environ.get("REDIS_URL"):
        yield given
    else:
        with RedisServer() as server:
            yield server.url


@pytest.fixture
def redis_server() -> Iterator[RedisServer]:
    """A Redis that the test may kill, restart empty and pause."""
    with RedisServer() as server:
        yield server


@pytest.fixture
def postgres_cluster() -> Iterator[PostgresCluster]:
    """A PostgreSQL that the test may stop and start."""
    with PostgresCluster() as cluster:
        yield cluster


@pytest.fixture(scope="session")
def _site_stores(worker_id: str) -> Callable[[ExitStack], dict[str, str]]:
    """Stores that no other site uses: a new database, an unused number on Redis."""
    first = SITES_ON_REDIS * (int(worker_id.removeprefix("gw") or 0) if "gw" in worker_id else 0)
    numbers = itertools.count(first + 1)

    def stores(cleanup: ExitStack) -> dict[str, str]:
        environment = {}
        if os.environ.get("DATABASE_URL", "").startswith("postgres"):
            database = database_of_its_own(os.environ["DATABASE_URL"])
            environment["DATABASE_URL"] = cleanup.enter_context(database)
        if redis := os.environ.get("REDIS_URL"):
            environment["REDIS_URL"] = f"{redis.rpartition('/')[0]}/{next(numbers)}"
        return environment

    return stores


@pytest.fixture
def start_site(
    _site_stores: Callable[[ExitStack], dict[str, str]], tmp_path: Path
) -> Iterator[StartSite]:
    """`start_site(RUN_LEASE="3")` is a site that the test may stop, kill and start again."""
    with ExitStack() as cleanup:
        folders = (tmp_path / f"site-{number}" for number in itertools.count(1))

        def start(**environment: str) -> RunningSite:
            site = RunningSite(next(folders), {**_site_stores(cleanup), **environment})
            cleanup.callback(_end, site)
            site.start()
            return site

        yield start


@pytest.fixture(scope="session")
def _shared_site(
    _site_stores: Callable[[ExitStack], dict[str, str]], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[RunningSite]:
    with ExitStack() as cleanup:
        site = RunningSite(tmp_path_factory.mktemp("site"), _site_stores(cleanup))
        cleanup.callback(_end, site)
        yield site


@pytest.fixture
def site(_shared_site: RunningSite) -> RunningSite:
    """A running site that many tests share: each makes its own Apps, and leaves the site running.

    Tests that stop or kill one take `start_site`.
    """
    if not _shared_site.is_running:
        _shared_site.start()
    return _shared_site


def _end(site: RunningSite) -> None:
    if site.is_running:
        site.stop()
    site.kill()
