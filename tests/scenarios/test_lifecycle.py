"""A site that is stopped, killed and started again."""

import time
from collections.abc import Callable

import psutil

from tests.fakes.upstream import UpstreamServer, gate, text
from tests.running_site import RunningSite
from tests.scenarios.conversing import Frame, ask, ask_streaming, open_socket, read_events, send
from tests.site_apps import make_app, request

StartSite = Callable[..., RunningSite]


def wait_until(claim: Callable[[], bool], seconds: float) -> None:
    deadline = time.monotonic() + seconds
    while not claim():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.1)


def message_of(site: RunningSite, frame: Frame) -> Frame:
    messages = request(site, "GET", f"conversations/{frame['conversation_id']}/messages")
    (message,) = [m for m in messages["results"] if m["message_id"] == frame["message_id"]]
    found: Frame = message
    return found


def test_an_idle_site_ends_within_five_seconds_and_leaves_no_process(
    start_site: StartSite,
) -> None:
    site = start_site()
    children = psutil.Process(site.process.pid).children(recursive=True)
    started = time.monotonic()
    assert site.stop() == 0
    assert time.monotonic() - started < 5
    assert site.processes() == []
    assert not any(child.is_running() for child in children)


def test_a_restart_keeps_everything(start_site: StartSite, upstream: UpstreamServer) -> None:
    site = start_site()
    slug = make_app(site, upstream.url)
    upstream.script(text("My name is Quintet."))
    first = ask(site, slug, "Who are you?")
    site.restart()
    upstream.script(text("As I said: Quintet."))
    second = ask(site, slug, "Again?", conversation_id=first["conversation_id"])
    assert second["answer"] == "As I said: Quintet."
    assert "My name is Quintet." in str(upstream.of_purpose("answer")[-1].body)


def test_a_killed_site_keeps_the_text_and_the_conversation_goes_on(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    site = start_site(RUN_HEARTBEAT="0.3", RUN_LEASE="2")
    slug = make_app(site, upstream.url)
    gated = gate(text("Half an answer, and more", chunks=3), after=3)
    upstream.script(gated)
    frames = ask_streaming(site, slug, "Hello?")
    started = next(frames)
    gated.wait_reached()
    wait_until(lambda: bool(message_of(site, started)["answer"]), 10)
    kept = message_of(site, started)["answer"]
    site.kill()
    gated.release()
    site.start()
    wait_until(lambda: message_of(site, started)["status"] == "interrupted", 30)
    assert message_of(site, started)["answer"] == kept
    upstream.script(text("The rest."))
    answer = ask(site, slug, "continue", conversation_id=started["conversation_id"])
    assert (answer["status"], answer["answer"]) == ("normal", "The rest.")


def test_a_reader_of_a_killed_site_comes_back_to_the_stored_truth(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    site = start_site(RUN_HEARTBEAT="0.3", RUN_LEASE="2")
    slug = make_app(site, upstream.url)
    gated = gate(text("Half an answer, and more", chunks=3), after=3)
    upstream.script(gated)
    frames = ask_streaming(site, slug, "Hello?")
    started = next(frames)
    gated.wait_reached()
    site.kill()
    gated.release()
    site.start()
    with open_socket(site) as socket:
        send(socket, type="attach", task_id=started["task_id"], after=2)
        seen = list(read_events(socket))
    assert [frame["event"] for frame in seen if frame["event"] != "snapshot"] == ["error"]
    assert seen[-1]["status"] == "interrupted"


def test_a_stop_signal_lets_a_short_answer_finish(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    site = start_site()
    slug = make_app(site, upstream.url)
    gated = gate(text("Almost there."), after=1)
    upstream.script(gated)
    with open_socket(site) as socket:
        send(socket, type="send", app=slug, query="Hello?", client_request_id="one")
        started = next(read_events(socket))
        gated.wait_reached()
        site.process.terminate()
        goodbye = socket.recv(timeout=10)
        while '"server_restart"' not in str(goodbye):
            goodbye = socket.recv(timeout=10)
    gated.release()
    assert site.process.wait(30) == 0
    site.start()
    assert message_of(site, started)["answer"] == "Almost there."


def test_an_answer_that_outlasts_the_drain_is_interrupted_with_its_text(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    site = start_site(RUN_DRAIN="1")
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


def test_twenty_slow_runs_share_a_pool_of_two_connections(
    start_site: StartSite, upstream: UpstreamServer
) -> None:
    """open-webui PR#20545: nothing holds a connection while a model is awaited."""
    site = start_site(DATABASE_POOL_SIZE="2")
    slug = make_app(site, upstream.url)
    upstream.script(*[text("Slowly.", chunks=1, delay=1.0) for _ in range(20)])
    started = time.monotonic()
    with open_socket(site) as socket:
        for number in range(20):
            send(socket, type="send", app=slug, query=f"Q{number}", client_request_id=str(number))
        ended = [list(read_events(socket))[-1] for _ in range(20)]
    assert {frame["event"] for frame in ended} == {"agent_end"}
    assert time.monotonic() - started < 25
