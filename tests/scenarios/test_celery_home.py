"""Runs in Celery workers: the same events, from another process."""

import os
from collections.abc import Callable

import psutil
import pytest
from celery import Celery

from tests.fakes.upstream import UpstreamServer, call, calls, gate, text
from tests.running_site import RunningSite
from tests.scenarios.conversing import answer_of, ask, ask_streaming, open_socket, read_events, send
from tests.scenarios.test_lifecycle import message_of
from tests.site_apps import make_app

StartSite = Callable[..., RunningSite]


@pytest.fixture
def celery_site(start_site: StartSite, redis_url: str) -> RunningSite:
    """Also where the suite has no Redis of its own: this home cannot do without."""
    redis = {} if os.environ.get("REDIS_URL") else {"REDIS_URL": redis_url}
    return start_site(RUN_EXECUTOR="celery", **redis)


def test_a_run_in_a_worker_streams_is_stopped_and_leaves_no_process(
    celery_site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(celery_site, upstream.url, tools=["calculator"])
    upstream.script(calls(call("calculator", expression="6*7")), text("Forty-two.", chunks=5))
    frames = list(ask_streaming(celery_site, slug, "Six times seven?"))
    assert answer_of(frames) == "Forty-two."
    assert [frame["seq"] for frame in frames] == list(range(1, len(frames) + 1))

    gated = gate(text("For ever and ever", chunks=4), after=3)
    upstream.script(gated)
    with open_socket(celery_site) as socket:
        send(socket, type="send", app=slug, query="How long?", client_request_id="one")
        events = read_events(socket)
        started = next(events)
        gated.wait_reached()
        send(socket, type="stop", task_id=started["task_id"])
        assert list(events)[-1]["event"] == "stop"
    upstream.wait_for(lambda: upstream.open_streams == 0)
    gated.release()

    assert celery_site.stop() == 0
    assert celery_site.processes() == []


def test_a_worker_that_ends_interrupts_what_outlasts_the_drain(
    start_site: StartSite, redis_url: str, upstream: UpstreamServer
) -> None:
    redis = {} if os.environ.get("REDIS_URL") else {"REDIS_URL": redis_url}
    site = start_site(RUN_EXECUTOR="celery", RUN_DRAIN="1", **redis)
    slug = make_app(site, upstream.url)
    gated = gate(text("Never to be finished", chunks=2), after=2)
    upstream.script(gated)
    frames = ask_streaming(site, slug, "Hello?")
    started = next(frames)
    gated.wait_reached()
    next(frames)
    assert site.stop() == 0
    gated.release()
    site.start()
    message = message_of(site, started)
    assert (message["status"], message["answer"]) == ("interrupted", "Never to b")
    assert "stopped while this answer was written" in message["error"]["message"]


def test_a_site_is_ready_with_its_workers_and_shows_no_banner(celery_site: RunningSite) -> None:
    broker = psutil.Process(celery_site.process.pid).environ()["REDIS_URL"]
    answers = Celery(broker=broker).control.ping(timeout=2.0, limit=2)

    assert sorted(name.split("@")[0] for answer in answers for name in answer) == ["jobs", "runs"]
    assert "celery beat" not in "".join(celery_site.log)
    assert "[queues]" not in "".join(celery_site.log)


def test_a_worker_that_was_killed_is_started_again_and_answers(
    celery_site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(celery_site, upstream.url)
    upstream.script(text("Back again."))
    killed = _runs_worker(celery_site)
    killed.kill()

    assert ask(celery_site, slug, "Hello?")["answer"] == "Back again."
    assert _runs_worker(celery_site).pid != killed.pid
    assert f"(process {killed.pid}) ended with status -9; it starts again in 1 s." in "".join(
        celery_site.log
    )


def _runs_worker(site: RunningSite) -> psutil.Process:
    (worker,) = (process for process in site.processes() if "runs@%h" in process.cmdline())
    return worker
