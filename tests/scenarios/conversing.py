"""Talking to a running site by each of its entries, as programs do."""

import json
import urllib.request
from collections.abc import Iterator
from typing import Any

from websockets.sync.client import ClientConnection, connect

from tests.running_site import RunningSite
from tests.site_apps import request

Frame = dict[str, Any]
TERMINAL = frozenset({"agent_end", "stop", "error", "timeout"})


def ask(site: RunningSite, slug: str, query: str, **body: Any) -> Frame:
    """The blocking answer."""
    answer: Frame = request(site, "POST", f"apps/{slug}/chat", {"query": query, **body})
    return answer


def ask_streaming(site: RunningSite, slug: str, query: str, **body: Any) -> Iterator[Frame]:
    """The frames of a Server-Sent Events answer, as they come."""
    content = json.dumps({"query": query, "stream": True, **body}).encode()
    yield from _read_sse(site, f"apps/{slug}/chat", content)


def follow_streaming(site: RunningSite, task_id: str, *, after: int) -> list[Frame]:
    return list(_read_sse(site, f"tasks/{task_id}/events?after={after}", None))


def _read_sse(site: RunningSite, path: str, content: bytes | None) -> Iterator[Frame]:
    headers = {"Authorization": f"Bearer {site.api_key}", "Content-Type": "application/json"}
    asked = urllib.request.Request(f"{site.url}/api/v1/{path}", content, headers)
    with urllib.request.urlopen(asked, timeout=60) as stream:
        for line in stream:
            if line.startswith(b"data: ") and (frame := json.loads(line[6:])).get("seq"):
                yield frame


def open_socket(site: RunningSite) -> ClientConnection:
    headers = {"Authorization": f"Bearer {site.api_key}"}
    address = site.url.replace("http", "ws", 1)
    return connect(f"{address}/ws/chat/", additional_headers=headers)


def send(socket: ClientConnection, **frame: Any) -> None:
    socket.send(json.dumps(frame))


def read_events(socket: ClientConnection) -> Iterator[Frame]:
    """Event frames up to the terminal one; raises on an error frame."""
    while True:
        frame = json.loads(socket.recv(timeout=60))
        assert frame["type"] != "error", frame
        if frame["type"] == "event" and frame.get("seq"):
            yield frame
            if frame["event"] in TERMINAL:
                return


def answer_of(frames: list[Frame]) -> str:
    """Added up as docs/events.md says: the deltas of the last AGENT_MESSAGE id."""
    messages = [frame for frame in frames if frame["event"] == "agent_message"]
    return "".join(f.get("answer") or "" for f in messages if f["id"] == messages[-1]["id"])


def tools_of(frames: list[Frame]) -> list[tuple[str, str]]:
    """Finished tool calls: name and result."""
    return [
        (frame["tool"], frame["observation"])
        for frame in frames
        if frame["event"] == "agent_action" and frame["tool_status"] != "pending"
    ]
