"""Runs on the loop of a Celery worker process."""

import json
from collections.abc import Iterator

import pytest
from pytest_django import Settings
from redis import Redis

from apps.accounts.models import Caller
from apps.conversations.models import Entry
from apps.runs.execution import execute
from apps.runs.home import RunHome, install_home
from apps.runs.start import Question, start_run
from apps.runs.worker_loop import end_worker_loop, run_on_worker_loop
from apps.studio.models import App
from tests.fakes.upstream import UpstreamServer, text


@pytest.fixture
def worker(seeded: tuple[App, Caller], redis_url: str, settings: Settings) -> Iterator[None]:
    settings.REDIS_URL = redis_url
    install_home(RunHome(execute, dispatch=lambda _task_id: None))
    yield
    end_worker_loop()


def events_in_redis(redis_url: str, task_id: str) -> list[str]:
    with Redis.from_url(redis_url) as redis:
        entries = redis.xrange(f"quintet:events:{task_id}")
    return [event["event"] for _id, fields in entries for event in json.loads(fields[b"events"])]


def test_when_a_run_returns_its_end_can_be_read_elsewhere(
    worker: None, seeded: tuple[App, Caller], upstream: UpstreamServer, redis_url: str
) -> None:
    upstream.script(text("Done.", chunks=2))
    app, caller = seeded
    message = start_run(Question(caller=caller, app=app, query="Hello?", entry=Entry.WEB))
    run_on_worker_loop(str(message.task_id))
    assert events_in_redis(redis_url, str(message.task_id))[-1] == "agent_end"
