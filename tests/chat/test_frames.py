"""Frames from the client: what is taken, what is refused and how."""

import json

import pytest

from apps.chat.frames import LARGEST_FRAME, Ack, BadFrameError, Ping, Send, read_frame


def test_a_question_is_read() -> None:
    frame = read_frame('{"type":"send","app":"demo","query":"Hi","client_request_id":"1"}')
    assert frame == Send(type="send", app="demo", query="Hi", client_request_id="1")


@pytest.mark.parametrize(
    ("text", "kind"), [('{"type":"ping"}', Ping), ('{"type":"ack","seq":3}', Ack)]
)
def test_small_frames_are_read(text: str, kind: type) -> None:
    assert isinstance(read_frame(text), kind)


@pytest.mark.parametrize(
    "text",
    [
        None,
        "",
        "{",
        "[1]",
        '"ping"',
        "null",
        "[" * 100_000,
        '{"a":' * 50_000,
        "x" * (LARGEST_FRAME + 1),
    ],
    ids=["binary", "empty", "cut", "list", "string", "null", "deep-list", "deep-object", "too-big"],
)
def test_what_is_no_frame_is_fatal(text: str | None) -> None:
    with pytest.raises(BadFrameError) as caught:
        read_frame(text)
    assert caught.value.is_fatal


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ({}, "one of: send, regenerate, attach, watch, stop, ack, ping"),
        ({"type": "launch"}, "one of: send, regenerate, attach, watch, stop, ack, ping"),
        ({"type": 5}, "one of: send"),
        ({"type": "send", "app": "demo"}, "query"),
        ({"type": "send", "app": "demo", "query": 5}, "query"),
        ({"type": "send", "app": "demo", "query": "x", "model": "other"}, "model"),
        ({"type": "send", "app": "demo", "query": "x", "roles": ["operators"]}, "roles"),
        ({"type": "send", "app": "", "query": "x"}, "app"),
        ({"type": "attach", "task_id": "t", "after": -1}, "after"),
        ({"type": "ack", "seq": "3"}, "seq"),
        ({"type": "stop"}, "task_id"),
        ({"type": "send", "app": "a\0b", "query": "x"}, "app: has characters"),
        (
            {"type": "send", "app": "a", "query": "x", "client_request_id": "\0"},
            "client_request_id: has characters",
        ),
        ({"type": "send", "app": "\ud800", "query": "x"}, "app"),
        ({"type": "ping", **{str(n): n for n in range(9_000)}}, "at most 20 fields"),
    ],
    ids=[
        *(
            "no-type",
            "unknown-type",
            "type-is-number",
            "no-query",
            "query-is-number",
            "unknown-field",
            "claimed-role",
        ),
        *("empty-app", "negative-after", "seq-is-text", "no-task"),
        *("null-in-app", "null-in-request-id", "half-a-character", "thousands-of-fields"),
    ],
)
def test_a_wrong_frame_is_refused_by_name_and_the_socket_stays(
    frame: dict[str, object], complaint: str
) -> None:
    with pytest.raises(BadFrameError, match=complaint) as caught:
        read_frame(json.dumps(frame))
    assert not caught.value.is_fatal


def test_a_complaint_does_not_repeat_what_was_sent() -> None:
    with pytest.raises(BadFrameError) as caught:
        read_frame('{"type":"send","app":"demo","query":["a secret"]}')
    assert "secret" not in str(caught.value)


def test_a_complaint_about_a_long_field_name_is_short() -> None:
    with pytest.raises(BadFrameError) as caught:
        read_frame(json.dumps({"type": "ping", "x" * 100_000: 1}))
    assert len(str(caught.value)) < 200
