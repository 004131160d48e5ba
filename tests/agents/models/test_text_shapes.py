"""Text, in the shapes in which services stream it."""

import json

import pytest

from agents.outcome import FinishReason
from tests.agents.models.asking import ask
from tests.fakes.upstream import (
    CUT,
    DONE,
    Answer,
    UpstreamServer,
    chunk,
    events,
    raw,
    sse,
)

STOP = chunk(finish="stop")

TEXT_SHAPES = {
    "1 choices empty with filter results": events(
        {"choices": [], "prompt_filter_results": [{}]}, chunk({"content": "Hello"}), STOP
    ),
    "2 choice without delta": events(
        {"choices": [{"index": 0}]}, chunk({"content": "Hello"}), STOP
    ),
    "2 delta null": events(
        {"choices": [{"index": 0, "delta": None}]}, chunk({"content": "Hello"}), STOP
    ),
    "3 choices null": events({"choices": None}, chunk({"content": "Hello"}), STOP),
    "3 choices missing": events({"id": "x"}, chunk({"content": "Hello"}), STOP),
    "8 role empty, null, repeated": events(
        chunk({"role": "", "content": "He"}),
        chunk({"role": None, "content": "l"}),
        chunk({"role": "assistant", "content": "lo"}),
        STOP,
    ),
    "20 finish reason empty on every chunk": events(
        chunk({"content": "Hel"}, finish=""), chunk({"content": "lo"}, finish=""), STOP
    ),
    "20 finish reason unknown": events(chunk({"content": "Hello"}), chunk(finish="eos_token")),
    "20 finish reason twice": events(chunk({"content": "Hello"}), STOP, STOP),
    "21 no [DONE]": events(chunk({"content": "Hello"}), STOP, done=False),
    "22 CRLF, comments, no space": raw(
        b": keep-alive\r\n\r\nevent: x\r\ndata:" + json.dumps(chunk({"content": "Hello"})).encode(),
        b"\r\n\r\n:\r\n\r\n",
        sse(STOP).replace(b"\n", b"\r\n"),
    ),
    "22 CR": raw(*(sse(one).replace(b"\n", b"\r") for one in (chunk({"content": "Hello"}), STOP))),
    "22 byte order mark": raw(b"\xef\xbb\xbf", sse(chunk({"content": "Hello"})), sse(STOP)),
    "22 no blank lines between": raw(
        sse(chunk({"content": "Hello"})).rstrip() + b"\n" + sse(STOP).rstrip() + b"\n" + DONE
    ),
    "22 last line without its end": raw(sse(chunk({"content": "Hello"})), sse(STOP).rstrip()),
    "24 JSON instead of SSE": raw(
        json.dumps(
            {"choices": [{"message": {"content": "Hello"}, "finish_reason": "stop"}]}, indent=1
        ).encode(),
        content_type="application/json",
    ),
    "30 content as blocks": events(
        chunk({"content": [{"type": "text", "text": "Hel"}, "lo"]}), STOP
    ),
    "34 two choices interleaved": events(
        chunk({"content": "Hel"}),
        {"choices": [{"index": 1, "delta": {"content": "NO"}, "finish_reason": None}]},
        {
            "choices": [
                {"index": 1, "delta": {"content": "NO"}, "finish_reason": "stop"},
                {"index": 0, "delta": {"content": "lo"}},
            ]
        },
        STOP,
    ),
    "35 full message as last chunk": events(
        chunk({"content": "Hel"}),
        chunk({"content": "lo"}),
        {"choices": [{"index": 0, "message": {"content": "Hello"}, "finish_reason": "stop"}]},
    ),
    "36 NUL": events(chunk({"content": "He\0l"}), chunk({"content": "\0lo"}), STOP),
    "cut after the finish reason": raw(sse(chunk({"content": "Hello"})), sse(STOP), CUT),
}


@pytest.mark.parametrize("answer", TEXT_SHAPES.values(), ids=TEXT_SHAPES)
async def test_text_arrives_once_and_whole(upstream: UpstreamServer, answer: Answer) -> None:
    upstream.script(answer)
    heard = await ask(upstream.url)
    assert heard.text == heard.inference.text == "Hello"
    assert heard.inference.finish_reason is FinishReason.STOP
    assert heard.inference.tool_calls == ()


async def test_text_of_a_refusal_is_shown(upstream: UpstreamServer) -> None:
    upstream.script(events(chunk({"refusal": "I may not."}), chunk(finish="content_filter")))
    heard = await ask(upstream.url)
    assert heard.text == "I may not."
    assert heard.inference.finish_reason is FinishReason.CONTENT_FILTER


async def test_halves_of_a_surrogate_pair_meet(upstream: UpstreamServer) -> None:
    halves = [
        sse(f'{{"choices":[{{"delta":{{"content":"{one}"}}}}]}}') for one in (r"\ud83d", r"\ude00")
    ]
    upstream.script(raw(*halves, sse(STOP)))
    assert (await ask(upstream.url)).text == "😀"


async def test_a_lone_surrogate_becomes_a_replacement_character(upstream: UpstreamServer) -> None:
    upstream.script(raw(sse(r'{"choices":[{"delta":{"content":"a\ud83d"}}]}'), sse(STOP)))
    assert (await ask(upstream.url)).text == "a\ufffd"


async def test_bytes_one_by_one_keep_their_characters(upstream: UpstreamServer) -> None:
    whole = b"".join(sse(one) for one in (chunk({"content": "日本語 ```js"}), STOP))
    upstream.script(raw(*(whole[at : at + 1] for at in range(len(whole)))))
    assert (await ask(upstream.url)).text == "日本語 ```js"
