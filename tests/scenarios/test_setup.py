"""Starting and ending a site: what people's scripts may rely on."""

import re
import socket
import time
from collections.abc import Callable

import pytest

from tests.fakes.upstream import UpstreamServer, gate, text
from tests.running_site import RunningSite, SiteNotReadyError
from tests.scenarios.conversing import ask_streaming
from tests.site_apps import make_app, request

StartSite = Callable[..., RunningSite]

NOBODY = "127.0.0.1:9"
QUICKLY = 12.0  # seconds on a busy machine; half of it alone


def test_a_first_start_prints_a_password_and_a_second_does_not(start_site: StartSite) -> None:
    site = start_site(QUINTET_ADMIN_PASSWORD="")
    first = "".join(site.log)
    site.restart()
    second = "".join(site.log).removeprefix(first)

    assert re.search(r"admin, password: \S{12}", first)
    assert "password" not in second


def test_keys_are_made_for_the_owner_only(start_site: StartSite) -> None:
    site = start_site()
    keys = [site.folder / name for name in ("secret_key", "field_encryption_key")]

    assert [key.stat().st_mode & 0o777 for key in keys] == [0o600, 0o600]


def test_the_database_file_is_for_the_owner_only(start_site: StartSite) -> None:
    site = start_site(DATABASE_URL="", QUINTET_API_KEY="")
    files = list(site.folder.glob("quintet.sqlite3*"))

    assert {file.stat().st_mode & 0o777 for file in files} == {0o600}


def test_a_repeated_sigterm_still_lets_an_answer_finish(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    """`kill -TERM -group` reaches a site under make twice: from the sender, and from make."""
    site = start_site()
    slug = make_app(site, upstream.url)
    gated = gate(text("Almost there."), after=1)
    upstream.script(gated)
    started = next(ask_streaming(site, slug, "Hello?"))
    gated.wait_reached()
    site.process.terminate()
    _wait_until(lambda: not _is_listening(site), 10)
    site.process.terminate()
    gated.release()

    assert site.process.wait(30) == 0
    assert "Stopping: 1 answer is being written, waiting up to 30 s." in "".join(site.log)
    assert site.processes() == []
    site.start()
    assert request(site, "GET", f"tasks/{started['task_id']}")["answer"] == "Almost there."


def test_nothing_outlives_a_site_whose_main_process_was_killed(start_site: StartSite) -> None:
    site = start_site()
    site.process.kill()
    site.process.wait()
    _wait_until(lambda: not site.processes(), 30)


@pytest.mark.parametrize(
    ("environment", "words"),
    [
        pytest.param({"RUN_EXECUTOR": "celery", "REDIS_URL": ""}, "REDIS_URL", id="no Redis"),
        pytest.param({"RUN_EXECUTOR": "elsewhere"}, "in_process, celery", id="unknown executor"),
        pytest.param({"QUINTET_API_KEY": "short"}, "20 characters", id="short key"),
        pytest.param({"PORT": "abc"}, "PORT is 'abc'; it must be a whole number", id="port"),
        pytest.param({"RUN_DRAIN": "soon"}, "RUN_DRAIN is 'soon'", id="seconds"),
        pytest.param({"LOG_LEVEL": "LOUD"}, "one of DEBUG, INFO", id="log level"),
        pytest.param({"TIME_ZONE": "Mars"}, "TIME_ZONE is 'Mars'", id="time zone"),
        pytest.param({"FIELD_ENCRYPTION_KEYS": "abc"}, "32 bytes", id="encryption key"),
        pytest.param({"QUINTET_VAR": "/dev/null/x"}, "QUINTET_VAR is /dev/null/x", id="folder"),
        pytest.param({"DATABASE_URL": "mysql://a:b@c/d"}, "begins with 'mysql'", id="MySQL"),
        pytest.param({"DATABASE_URL": "postgres://a:b@c:d/e"}, "as %XX", id="unreadable address"),
        pytest.param({"DATABASE_URL": "sqlite:////dev/null/x"}, "cannot be opened", id="SQLite"),
        pytest.param(
            {"DATABASE_URL": f"postgres://a:b@{NOBODY}/c"}, "correct DATABASE", id="no PostgreSQL"
        ),
        pytest.param(
            {"REDIS_URL": f"redis://{NOBODY}/0"}, "correct REDIS_URL", id="nobody at Redis"
        ),
        pytest.param({"REDIS_URL": "http://127.0.0.1"}, "correct REDIS_URL", id="no Redis address"),
    ],
)
def test_a_site_that_cannot_work_says_why_and_does_not_start(
    start_site: StartSite, environment: dict[str, str], words: str
) -> None:
    begun = time.monotonic()
    with pytest.raises(SiteNotReadyError, match=words) as failure:
        start_site(**environment)

    assert len(str(failure.value).splitlines()) <= 2
    assert time.monotonic() - begun < QUICKLY


@pytest.mark.parametrize(
    ("name", "scheme"), [("DATABASE_URL", "postgres://a:b"), ("REDIS_URL", "redis://a:b")]
)
def test_a_store_that_takes_connections_and_stays_silent_is_not_waited_for(
    start_site: StartSite, name: str, scheme: str
) -> None:
    begun = time.monotonic()
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"{scheme}@127.0.0.1:{silent.getsockname()[1]}/0"
        with pytest.raises(SiteNotReadyError, match=f"correct {name}"):
            start_site(**{name: address})

    assert time.monotonic() - begun < QUICKLY


def test_a_port_that_is_taken_is_named(start_site: StartSite) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = str(listener.getsockname()[1])

        with pytest.raises(SiteNotReadyError, match=port):
            start_site(PORT=port)


def _is_listening(site: RunningSite) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", site.port)) == 0


def _wait_until(claim: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.02)
