"""What only a real server shows: bodies without a length, events that arrive one by one."""

import json
from http.client import HTTPConnection, HTTPResponse

import pytest

from tests.fakes.upstream import UpstreamServer, gate, text
from tests.running_site import RunningSite
from tests.site_apps import make_app

pytestmark = pytest.mark.stores


def post(site: RunningSite, path: str, *pieces: bytes) -> HTTPResponse:
    """Send a body in chunks."""
    connection = HTTPConnection("127.0.0.1", site.port, timeout=30)
    headers = {
        "Authorization": f"Bearer {site.api_key}",
        "Content-Type": "application/json",
        "Transfer-Encoding": "chunked",
    }
    connection.request("POST", f"/api/v1/{path}", iter(pieces), headers, encode_chunked=True)
    return connection.getresponse()


def test_a_body_that_comes_in_chunks_is_read(site: RunningSite) -> None:
    answer = post(site, "apps", b'{"slug": "chunked", ', b'"name": "Chunked"}')
    assert (answer.status, json.load(answer)["slug"]) == (201, "chunked")


def test_a_body_that_comes_in_chunks_is_bounded(site: RunningSite) -> None:
    answer = post(site, "apps", b'{"slug": "', *[b"x" * 100_000] * 20, b'"}')
    assert (answer.status, json.load(answer)["code"]) == (413, "body_too_large")


def test_events_leave_the_server_while_the_model_still_speaks(
    site: RunningSite, upstream: UpstreamServer
) -> None:
    slug = make_app(site, upstream.url)
    gated = gate(text("One two three.", chunks=3), after=2)
    upstream.script(gated)
    answer = post(site, f"apps/{slug}/chat", b'{"query": "Count.", "stream": true}')
    before = [answer.readline() for _line in range(8)]
    assert before[:2] == [b"id: 1\n", b"event: run_started\n"]
    assert before[4:6] == [b"id: 2\n", b"event: agent_message\n"]
    gated.wait_reached()
    gated.release()
    assert answer.read().decode().strip().split("\n\n")[-1].split("\n")[1] == "event: agent_end"
