"""`/ws/chat/` on a running site, over the wire: daphne, the real handshake, real runs."""

import asyncio
import json
import re
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from http.cookiejar import CookieJar
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from tests.fakes.upstream import UpstreamServer, call, calls, gate, text
from tests.running_site import RunningSite
from tests.site_apps import make_app

pytestmark = pytest.mark.scenarios


class Socket:
    """A chat socket with words for what tests do."""

    def __init__(self, connection: ClientConnection) -> None:
        self.connection = connection

    async def send(self, **frame: Any) -> None:
        await self.connection.send(json.dumps(frame))

    async def read(self) -> dict[str, Any]:
        async with asyncio.timeout(15):
            frame: dict[str, Any] = json.loads(await self.connection.recv())
            return frame

    async def read_until(self, **wanted: Any) -> list[dict[str, Any]]:
        """Frames up to and with the first that has these fields."""
        frames = [await self.read()]
        while any(frames[-1].get(name) != value for name, value in wanted.items()):
            frames.append(await self.read())
        return frames

    async def closed(self) -> int:
        """The close code, when the server has closed."""
        async with asyncio.timeout(15):
            try:
                while True:
                    await self.connection.recv()
            except ConnectionClosed as closed:
                return closed.rcvd.code if closed.rcvd else 1006

    async def ask(self, app: str, query: str, **more: Any) -> dict[str, Any]:
        """Send a question; the acknowledgement."""
        await self.send(type="send", app=app, query=query, **more)
        return (await self.read_until(type="ack"))[-1]


Open = Callable[..., AbstractAsyncContextManager[Socket]]


@pytest.fixture
def open_socket(site: RunningSite) -> Open:
    """`open_socket()` with the site's key, or with other headers, origin, path."""

    @asynccontextmanager
    async def opened(
        *, path: str = "/ws/chat/", key: str | None = None, **headers: str
    ) -> AsyncIterator[Socket]:
        if not headers:
            headers = {"Authorization": f"Bearer {key or site.api_key}"}
        url = site.url.replace("http", "ws", 1) + path
        async with connect(url, additional_headers=headers, proxy=None) as connection:
            yield Socket(connection)

    return opened


@pytest.fixture
def session_cookie(site: RunningSite) -> str:
    """The Cookie header of a browser in which `admin` is signed in."""
    jar = CookieJar()
    browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
    page = browser.open(f"{site.url}/accounts/login/").read().decode()
    token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
    assert token
    form = {"csrfmiddlewaretoken": token[1], "username": "admin", "password": site.password}
    asked = urllib.request.Request(
        f"{site.url}/accounts/login/",
        urllib.parse.urlencode(form).encode(),
        {"Referer": site.url, "Origin": site.url},
    )
    browser.open(asked)
    return "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)


@pytest.mark.parametrize(
    "make_origin",
    [
        lambda host, port: "http://evil.example",
        lambda host, port: "null",
        lambda host, port: None,
        lambda host, port: f"http://{host}.evil.example:{port}",
        lambda host, port: f"http://evil.{host}:{port}",
        lambda host, port: f"https://{host}:{port}",
        lambda host, port: f"http://{host}:{port + 1}",
        lambda host, port: f"http://{host}",
        lambda host, port: f"http://{host}:{port}@evil.example",
    ],
    ids=[
        *("evil", "null", "missing", "suffix", "sub-domain", "scheme", "port", "no-port"),
        *("user-info",),
    ],
)
async def test_a_foreign_page_with_a_valid_cookie_is_refused_at_the_handshake(
    make_origin: Callable[[str, int], str | None],
    site: RunningSite,
    open_socket: Open,
    session_cookie: str,
) -> None:
    origin = make_origin("127.0.0.1", site.port)
    headers = {"Cookie": session_cookie} | ({"Origin": origin} if origin else {})
    with pytest.raises(InvalidStatus) as caught:
        async with open_socket(**headers):
            pass
    assert caught.value.response.status_code == 403


async def test_an_own_page_is_let_in_by_its_session(
    site: RunningSite, open_socket: Open, session_cookie: str
) -> None:
    async with open_socket(Cookie=session_cookie, Origin=site.url) as socket:
        await socket.send(type="ping")
        assert await socket.read() == {"type": "pong"}


@pytest.mark.parametrize(
    "cookie", ["", "sessionid=guess", "sessionid=\"; x='", "sessionid=" + "a" * 4000]
)
async def test_without_a_session_the_socket_says_so_and_closes(
    site: RunningSite, open_socket: Open, cookie: str
) -> None:
    async with open_socket(Cookie=cookie, Origin=site.url) as socket:
        frame = await socket.read()
        assert (frame["type"], frame["code"]) == ("error", "unauthenticated")
        assert await socket.closed() == 4401


async def test_an_unknown_key_is_closed_with_4401(open_socket: Open) -> None:
    async with open_socket(key="no such key, of some length") as socket:
        assert await socket.closed() == 4401


async def test_an_unknown_path_is_answered(open_socket: Open) -> None:
    async with open_socket(path="/ws/other/") as socket:
        assert (await socket.read())["code"] == "not_found"
        assert await socket.closed() == 4404


@pytest.mark.parametrize("text", ["{", "[]", "nonsense"])
async def test_what_is_no_frame_is_answered_and_closed(open_socket: Open, text: str) -> None:
    async with open_socket() as socket:
        await socket.connection.send(text)
        assert (await socket.read())["code"] == "bad_message"
        assert await socket.closed() == 4400


async def test_a_wrong_frame_is_answered_and_the_socket_goes_on(open_socket: Open) -> None:
    async with open_socket() as socket:
        await socket.send(type="send", app="demo", query="x", roles=["operators"])
        assert (await socket.read())["code"] == "bad_message"
        await socket.send(type="ping")
        assert await socket.read() == {"type": "pong"}


async def test_a_question_is_acknowledged_then_answered(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url)
    upstream.script(text("Hello there", chunks=3))
    async with open_socket() as socket:
        ack = await socket.ask(app, "Hi", client_request_id="one")
        events = await socket.read_until(event="agent_end")
    assert (ack["of"], ack["client_request_id"]) == ("send", "one")
    assert events[0]["event"] == "run_started"
    assert events[0]["message_id"] == ack["message_id"]
    assert "".join(event.get("answer", "") for event in events) == "Hello there"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))


async def test_the_same_request_id_is_the_same_run(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url)
    async with open_socket() as socket:
        first = await socket.ask(app, "Hi", client_request_id=app)
        again = await socket.ask(app, "Hi", client_request_id=app)
        assert again["task_id"] == first["task_id"]
    assert len(upstream.of_purpose("answer")) <= 1


@pytest.mark.parametrize(
    ("frame", "code"),
    [
        ({"type": "send", "app": "no-such-app", "query": "x"}, "not_found"),
        ({"type": "send", "app": "demo", "query": " \n"}, "blank_query"),
        ({"type": "send", "app": "demo", "query": "x", "conversation": "no-uuid"}, "not_found"),
        ({"type": "stop", "task_id": "00000000-0000-4000-8000-000000000000"}, "not_found"),
        ({"type": "attach", "task_id": "00000000-0000-4000-8000-000000000000"}, "not_found"),
        ({"type": "regenerate", "message": "nothing"}, "not_found"),
        ({"type": "watch", "conversation": "00000000-0000-4000-8000-000000000000"}, "not_found"),
    ],
    ids=["no-app", "blank", "conversation", "stop", "attach", "regenerate", "watch"],
)
async def test_what_cannot_be_done_is_told(
    open_socket: Open, frame: dict[str, str], code: str
) -> None:
    async with open_socket() as socket:
        await socket.send(**frame)
        answer = await socket.read()
    assert (answer["type"], answer["code"], answer["of"]) == ("error", code, frame["type"])


async def test_stop_is_obeyed_while_events_stream(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url)
    answer = gate(text("one two three four", chunks=4), after=3)
    upstream.script(answer)
    async with open_socket() as socket:
        ack = await socket.ask(app, "Count")
        await asyncio.to_thread(answer.wait_reached)
        await socket.send(type="stop", task_id=ack["task_id"])
        events = await socket.read_until(event="stop")
    assert events[-1]["status"] == "stopped"
    await asyncio.to_thread(upstream.of_purpose("answer")[-1].wait_ended)
    assert upstream.of_purpose("answer")[-1].is_aborted


async def test_leaving_stops_nothing_and_coming_back_misses_nothing(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url, tools=["calculator"])
    answer = gate(text("The answer is four.", chunks=4), after=3)
    upstream.script(calls(call("calculator", expression="2+2")), answer)
    async with open_socket(path="/ws/chat/?render=html") as socket:
        ack = await socket.ask(app, "2+2?")
        seen = await socket.read_until(event="agent_action", tool_status="success")
        await asyncio.to_thread(answer.wait_reached)
    answer.release()
    last = seen[-1]["seq"]
    async with open_socket(path="/ws/chat/?render=html") as socket:
        await socket.send(type="attach", task_id=ack["task_id"], after=last)
        await socket.read_until(type="ack", of="attach")
        rest = [f for f in await socket.read_until(event="agent_end") if f["type"] == "event"]
    assert [event["seq"] for event in seen + rest] == list(range(1, rest[-1]["seq"] + 1))
    assert "".join(event.get("answer", "") for event in rest) == "The answer is four."


async def test_other_pages_of_a_conversation_see_its_new_run(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url)
    async with open_socket() as one, open_socket() as two:
        ack = await one.ask(app, "First")
        await one.read_until(event="agent_end")
        await two.send(type="watch", conversation=ack["conversation_id"])
        await two.send(type="watch", conversation="nothing")
        await two.read_until(type="error", of="watch")
        second = await one.ask(app, "Second", conversation=ack["conversation_id"])
        seen = await two.read_until(event="agent_end")
    assert {event["task_id"] for event in seen} == {second["task_id"]}


async def test_regenerate_answers_the_same_question_beside_the_earlier_answer(
    site: RunningSite, open_socket: Open, upstream: UpstreamServer
) -> None:
    app = make_app(site, upstream.url)
    upstream.script(text("zebra"), text("second"))
    async with open_socket() as socket:
        ack = await socket.ask(app, "Hi")
        await socket.read_until(event="agent_end")
        await socket.send(type="regenerate", message=ack["message_id"], client_request_id="r")
        again = (await socket.read_until(type="ack", of="regenerate"))[-1]
        events = await socket.read_until(event="agent_end")
    assert again["conversation_id"] == ack["conversation_id"]
    assert again["client_request_id"] == "r"
    assert "".join(event.get("answer", "") for event in events) == "second"
    assert "zebra" not in json.dumps(upstream.of_purpose("answer")[-1].body)


async def test_more_questions_a_minute_than_are_allowed_close_the_socket(
    start_site: Callable[..., RunningSite], upstream: UpstreamServer
) -> None:
    site = start_site(QUESTIONS_PER_MINUTE="5")
    headers = {"Authorization": f"Bearer {site.api_key}"}
    url = site.url.replace("http", "ws", 1) + "/ws/chat/"
    async with connect(url, additional_headers=headers, proxy=None) as connection:
        socket = Socket(connection)
        for number in range(6):
            await socket.send(type="send", app="demo", query=" ", client_request_id=str(number))
        frames = await socket.read_until(code="too_many_messages")
        assert len(frames) == 6
        assert await socket.closed() == 4429


async def test_a_restart_tells_every_page_where_it_stands(
    start_site: Callable[..., RunningSite], upstream: UpstreamServer
) -> None:
    site = start_site(RUN_DRAIN="1")
    app = make_app(site, upstream.url)
    answer = gate(text("one two three", chunks=3), after=2)
    upstream.script(answer)
    headers = {"Authorization": f"Bearer {site.api_key}"}
    url = site.url.replace("http", "ws", 1) + "/ws/chat/"
    async with connect(url, additional_headers=headers, proxy=None) as connection:
        socket = Socket(connection)
        ack = await socket.ask(app, "Count")
        await asyncio.to_thread(answer.wait_reached)
        seen = await socket.read_until(event="agent_message")
        stopping = asyncio.create_task(asyncio.to_thread(site.stop))
        frame = (await socket.read_until(type="server_restart"))[-1]
        assert (frame["task_id"], frame["seq"]) == (ack["task_id"], seen[-1]["seq"])
        assert await socket.closed() == 1012
    await stopping


async def test_a_session_that_ends_closes_its_open_sockets_within_seconds(
    site: RunningSite, open_socket: Open, session_cookie: str
) -> None:
    async with open_socket(Cookie=session_cookie, Origin=site.url) as socket:
        await socket.send(type="ping")
        await socket.read()
        asked = urllib.request.Request(f"{site.url}/", headers={"Cookie": session_cookie})
        page = urllib.request.urlopen(asked).read().decode()
        token = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', page)
        assert token
        logout = urllib.request.Request(
            f"{site.url}/accounts/logout/",
            urllib.parse.urlencode({"csrfmiddlewaretoken": token[1]}).encode(),
            {"Cookie": session_cookie, "Origin": site.url},
        )
        urllib.request.urlopen(logout)
        assert (await socket.read())["code"] == "unauthenticated"
        assert await socket.closed() == 4401
