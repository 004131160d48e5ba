"""Sending work to Celery: nobody waits for the broker."""

import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from uuid import uuid4

import pytest

from apps.runs.recently import Recently
from apps.runs.waking import dispatch_run
from config.celery import app

ROOT = Path(__file__).resolve().parents[2]
DISPATCH = """
import time, django
django.setup()
from apps.runs import waking
started = time.monotonic()
waking.dispatch_run("a-run")
print(time.monotonic() - started)
deadline = time.monotonic() + 20
while not waking._sent_runs.add("a-run") and time.monotonic() < deadline:
    time.sleep(0.05)
print(time.monotonic() - started)
"""


@pytest.fixture
def silent_port() -> Iterator[int]:
    """It accepts and never answers."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server.getsockname()[1]


def test_nobody_waits_for_a_broker_that_never_answers(silent_port: int, tmp_path: Path) -> None:
    site = {
        "PYTHONPATH": os.pathsep.join([str(ROOT / "platform"), str(ROOT)]),
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "QUINTET_VAR": str(tmp_path),
        "REDIS_URL": f"redis://127.0.0.1:{silent_port}/0",
        "RUN_EXECUTOR": "celery",
    }
    ran = subprocess.run(
        [sys.executable, "-c", DISPATCH],
        env={**os.environ, **site},
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    called, given_up = map(float, ran.stdout.split())
    assert called < 0.5
    assert given_up < 10
    assert "a-run waits for the broker" in ran.stderr


def test_a_run_goes_to_the_workers_once_a_minute() -> None:
    first, last = str(uuid4()), str(uuid4())
    for task_id in (first, first, last):
        dispatch_run(task_id)
    sent = []
    with app.connection_for_read() as connection, connection.SimpleQueue("runs") as runs:
        while last not in sent:
            wake = runs.get(timeout=5)
            wake.ack()
            sent.append(wake.payload[0][0])
    assert sent.count(first) == 1


def test_a_run_is_not_sent_twice_at_once() -> None:
    sent = Recently(seconds=60)
    assert [sent.add("one"), sent.add("one"), sent.add("two")] == [True, False, True]


def test_what_could_not_be_sent_may_be_sent_again() -> None:
    sent = Recently(seconds=60)
    sent.add("one")
    sent.discard("one")
    assert sent.add("one")


def test_what_was_sent_long_ago_is_sent_again() -> None:
    sent = Recently(seconds=0)
    sent.add("one")
    assert sent.add("one")


def test_only_the_newest_are_remembered() -> None:
    sent = Recently(seconds=60, most=2)
    assert [sent.add(key) for key in ("one", "two", "three", "three", "one")] == [
        True,
        True,
        True,
        False,
        True,
    ]
