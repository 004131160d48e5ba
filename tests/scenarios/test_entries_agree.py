"""A site configured by API alone answers the same through every entry."""

from uuid import uuid4

from tests.fakes.upstream import UpstreamServer, call, calls, text
from tests.running_site import RunningSite
from tests.scenarios.conversing import (
    answer_of,
    ask,
    ask_streaming,
    follow_streaming,
    open_socket,
    read_events,
    send,
    tools_of,
)
from tests.site_apps import make_app, request

TOOLS = ["calculator", "current_time"]


def script(upstream: UpstreamServer) -> None:
    upstream.script(
        calls(call("calculator", expression="6*7"), content="Let me see. "),
        text("It is forty-two.", chunks=6),
    )


def test_websocket_stream_and_blocking_give_the_same_text_steps_and_totals(
    site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(site, upstream.url, tools=TOOLS)
    script(upstream)
    blocking = ask(site, slug, "Six times seven?")
    script(upstream)
    streamed = list(ask_streaming(site, slug, "Six times seven?"))
    script(upstream)
    with open_socket(site) as socket:
        send(
            socket, type="send", app=slug, query="Six times seven?", client_request_id=str(uuid4())
        )
        pushed = list(read_events(socket))
    assert blocking["answer"] == answer_of(streamed) == answer_of(pushed) == "It is forty-two."
    blocking_tools = [(s["tool"], s["observation"]) for s in blocking["steps"] if "tool" in s]
    assert blocking_tools == tools_of(streamed) == tools_of(pushed) == [("calculator", "42")]
    totals = [blocking["usage"]["total_tokens"]]
    totals += [frames[-1]["total_token_count"] for frames in (streamed, pushed)]
    assert totals == [30, 30, 30]
    stored = request(site, "GET", f"messages/{blocking['message_id']}/steps")
    assert [s["id"] for s in stored["steps"]] == [s["id"] for s in blocking["steps"]]


def test_a_finished_run_can_be_read_again_from_any_number(
    site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(site, upstream.url, tools=TOOLS)
    script(upstream)
    whole = list(ask_streaming(site, slug, "Six times seven?"))
    for cut in range(0, len(whole), 3):
        rest = follow_streaming(site, whole[0]["task_id"], after=cut)
        strip = [{k: v for k, v in f.items() if k in {"seq", "event", "answer"}} for f in rest]
        expected = [
            {k: v for k, v in f.items() if k in {"seq", "event", "answer"}} for f in whole[cut:]
        ]
        assert strip == expected


def test_many_readers_of_one_run_see_the_same(site: RunningSite, upstream: UpstreamServer) -> None:
    slug = make_app(site, upstream.url)
    upstream.script(text("one two three four", chunks=4, delay=0.05))
    with open_socket(site) as first, open_socket(site) as second:
        send(first, type="send", app=slug, query="Count.", client_request_id=str(uuid4()))
        frames = read_events(first)
        started = next(frames)
        send(second, type="attach", task_id=started["task_id"], after=0)
        assert [started, *frames] == list(read_events(second))


def test_the_demo_answers_in_both_modes_with_visible_steps(site: RunningSite) -> None:
    for slug in ("demo", "demo-react"):
        answer = ask(site, slug, "What time is it, and what is (17 + 4) * 3.5?")
        tools = [step["tool"] for step in answer["steps"] if "tool" in step]
        assert sorted(tools) == ["calculator", "current_time"]
        assert "73.5" in answer["answer"]
