"""Asking over REST: whole answers, streams, resuming, stopping, and every way to be refused."""

import asyncio
from typing import Any

import pytest
from django.utils import timezone

from apps.accounts.models import ApiKey
from apps.conversations.models import Message
from apps.runs.database import in_database
from apps.runs.home import RunHome
from apps.runs.start import LONGEST_QUERY
from apps.studio.availability import disable_app
from apps.studio.drafts import change_draft, create_app
from apps.studio.models import App
from tests.api.conftest import AsyncProgram, Frame, Program, read_frames, script_app
from tests.fakes.upstream import UpstreamServer, call, calls, failure, gate, text

pytestmark = [
    pytest.mark.urls("apps.api.urls"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("home"),
]


@pytest.fixture
def app(transactional_db: None, upstream: UpstreamServer, builder: Program) -> App:
    return script_app(upstream, builder.user)


@pytest.fixture
def program(app: App, builder: Program) -> AsyncProgram:
    return AsyncProgram(builder.secret)


def answer_of(frames: list[Frame]) -> str:
    """The answer as a reader adds it up."""
    messages = [frame.data for frame in frames if frame.event == "agent_message"]
    return "".join(m.get("answer", "") for m in messages if m["id"] == messages[-1]["id"])


def script_sum(upstream: UpstreamServer) -> None:
    upstream.script(
        calls(call("calculator", expression="6*7"), content="Let me see. "),
        text("It is 42.", chunks=4, reasoning="Six sevens."),
    )


async def test_a_whole_answer_tells_what_its_row_tells(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    script_sum(upstream)
    answer = await program.post("apps/clerk/chat", {"query": "6 times 7?"})
    said = answer.json()
    assert answer.status_code == 200
    assert (said["status"], said["finish_reason"]) == ("normal", "stop")
    assert (said["answer"], said["reasoning"]) == ("It is 42.", "Six sevens.")
    assert [(s["event"], s.get("observation")) for s in said["steps"]] == [
        ("agent_thought", None), ("agent_action", "42"), ("agent_message", None),
    ]  # fmt: skip
    assert said["steps"][0]["thought"] == "Let me see. "
    assert "answer" not in said["steps"][0]
    assert said["usage"] == {
        "input_tokens": 20, "output_tokens": 10, "total_tokens": 30, "confidence": "exact",
    }  # fmt: skip
    assert float(said["price"]) == pytest.approx((20 * 2 + 10 * 8) / 1_000_000)
    row = (await program.get(f"tasks/{said['task_id']}")).json()
    same = ("answer", "reasoning", "status", "finish_reason", "usage", "currency", "latency")
    assert [row[name] for name in same] == [said[name] for name in same]
    assert float(row["price"]) == float(said["price"])
    assert row["message_id"] == said["message_id"]


async def test_an_answer_is_sent_in_its_own_letters(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    upstream.script(text("Grüße, 世界"))
    answer = await program.post("apps/clerk/chat", {"query": "Hello?"})
    assert '"answer": "Grüße, 世界"' in answer.content.decode()


@pytest.mark.parametrize("query", [5, 1.5, True, None, ["a"], {"a": "b"}], ids=str)
async def test_a_question_is_a_text(program: AsyncProgram, query: Any) -> None:
    answer = await program.post("apps/clerk/chat", {"query": query})
    assert answer.status_code == 400
    assert answer.json()["details"].keys() == {"query"}


async def test_a_stream_tells_the_same_as_a_whole_answer(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    script_sum(upstream)
    whole = (await program.post("apps/clerk/chat", {"query": "6 times 7?"})).json()
    script_sum(upstream)
    answer = await program.post("apps/clerk/chat", {"query": "6 times 7?", "stream": True})
    assert answer["Content-Type"] == "text/event-stream"
    assert answer["Cache-Control"] == "no-cache"
    assert answer["X-Accel-Buffering"] == "no"
    frames = [frame async for frame in read_frames(answer)]
    assert [frame.id for frame in frames] == [str(n + 1) for n in range(len(frames))]
    assert (frames[0].event, frames[-1].event) == ("run_started", "agent_end")
    assert answer_of(frames) == whole["answer"]
    for frame in frames:
        assert frame.data["event"] == frame.event
        assert str(frame.data["seq"]) == frame.id
        assert frame.data.keys() >= {"id", "task_id", "message_id", "conversation_id"}
    end = frames[-1].data
    assert end["total_token_count"] == whole["usage"]["total_tokens"]
    assert float(end["total_price"]) == float(whole["price"])
    stored = await program.get(f"messages/{end['message_id']}/steps")
    shown = [(s["id"], s["event"]) for s in stored.json()["steps"]]
    assert shown == [(s["id"], s["event"]) for s in whole["steps"]]


async def test_a_reader_goes_on_wherever_it_was_cut(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    script_sum(upstream)
    answer = await program.post("apps/clerk/chat", {"query": "6 times 7?", "stream": True})
    frames = [frame async for frame in read_frames(answer)]
    path = f"tasks/{frames[0].data['task_id']}/events"
    for cut in range(len(frames)):
        resumed = await program.get(f"{path}?after={cut}")
        assert [frame async for frame in read_frames(resumed)] == frames[cut:]
    last = frames[-1].id
    assert (await program.get(f"{path}?after={last}")).status_code == 204
    again = await program.get(f"{path}?after=1", **{"Last-Event-ID": last})
    assert again.status_code == 204
    assert len([f async for f in read_frames(await program.get(path))]) == len(frames)


@pytest.mark.parametrize("after", ["-1", "x", "1.5", "99999999999999", "٣", ""])
async def test_a_wrong_sequence_number_is_named(after: str, program: AsyncProgram) -> None:
    said = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()
    answer = await program.get(f"tasks/{said['task_id']}/events?after={after}")
    if after:
        assert (answer.status_code, answer.json()["details"].keys()) == (400, {"after"})
    else:
        assert answer.status_code == 200


async def test_a_reader_that_leaves_stops_nothing(
    program: AsyncProgram, upstream: UpstreamServer, home: RunHome
) -> None:
    gated = gate(text("One two three.", chunks=3), after=2)
    upstream.script(gated)
    answer = await program.post("apps/clerk/chat", {"query": "Count.", "stream": True})
    reader = read_frames(answer)
    started = await anext(reader)
    await asyncio.to_thread(gated.wait_reached)
    await reader.aclose()
    await answer.streaming_content.aclose()
    gated.release()
    task_id = started.data["task_id"]
    await home.finished(task_id)
    row = (await program.get(f"tasks/{task_id}")).json()
    assert (row["status"], row["answer"]) == ("normal", "One two three.")


async def test_stopping_closes_the_upstream_and_ends_every_reader(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    gated = gate(text("One two three.", chunks=3), after=2)
    upstream.script(gated)
    answer = await program.post("apps/clerk/chat", {"query": "Count.", "stream": True})
    reader = read_frames(answer)
    task_id = (await anext(reader)).data["task_id"]
    await asyncio.to_thread(gated.wait_reached)
    assert (await program.post(f"tasks/{task_id}/stop")).status_code == 202
    frames = [frame async for frame in reader]
    assert frames[-1].event == "stop"
    await asyncio.to_thread(upstream.wait_for, lambda: upstream.aborted == 1)
    row = (await program.post(f"tasks/{task_id}/stop")).json()
    assert (row["status"], row["answer"]) == ("stopped", answer_of(frames))
    assert row["answer"] == "One t"


async def test_a_stream_ends_with_the_key_that_opened_it(
    program: AsyncProgram,
    upstream: UpstreamServer,
    builder: Program,
    home: RunHome,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("apps.api.revocation.RECHECK", 0.0)
    gated = gate(text("One two three.", chunks=3), after=2)
    upstream.script(gated)
    answer = await program.post("apps/clerk/chat", {"query": "Count.", "stream": True})
    reader = read_frames(answer)
    task_id = (await anext(reader)).data["task_id"]
    await asyncio.to_thread(gated.wait_reached)
    await in_database(ApiKey.objects.filter(pk=builder.key.pk).update, revoked_at=timezone.now())
    gated.release()
    assert "agent_end" not in [frame.event async for frame in reader]
    await home.finished(task_id)
    assert (await in_database(Message.objects.get, task_id=task_id)).status == "normal"


async def test_a_failed_run_is_an_answer_with_its_error(
    program: AsyncProgram, upstream: UpstreamServer
) -> None:
    upstream.script(failure(401, {"error": {"message": "bad key"}}))
    answer = await program.post("apps/clerk/chat", {"query": "Hello?"})
    said = answer.json()
    assert (answer.status_code, said["status"]) == (200, "error")
    assert said["error"]["code"] == "authentication_failed"
    assert said["answer"] == ""


async def test_a_conversation_goes_on(program: AsyncProgram, upstream: UpstreamServer) -> None:
    upstream.script(text("Hello, Ada."), text("Ada."))
    new = (await program.post("apps/clerk/conversations")).json()["conversation_id"]
    for query in ("I am Ada.", "Who am I?"):
        body = {"query": query, "conversation_id": new}
        said = (await program.post("apps/clerk/chat", body)).json()
        assert said["conversation_id"] == new
    contents = [m["content"] for m in upstream.of_purpose("answer")[-1].messages[1:]]
    assert contents[:2] == ["I am Ada.", "Hello, Ada."]
    listed = (await program.get(f"conversations/{new}/messages")).json()
    assert [turn["query"] for turn in listed["results"]] == ["I am Ada.", "Who am I?"]


@pytest.mark.parametrize("place", ["header", "body", "both"])
async def test_the_same_request_id_gives_the_same_run(
    place: str, program: AsyncProgram, upstream: UpstreamServer
) -> None:
    headers = {"Idempotency-Key": "once"} if place != "body" else {}
    body = {"query": "Hello?"} | ({"client_request_id": "once"} if place != "header" else {})
    first, second = [
        (await program.post("apps/clerk/chat", body, **headers)).json() for _ in range(2)
    ]
    assert first["message_id"] == second["message_id"]
    assert first["answer"] == second["answer"] == "The default answer."
    assert len(upstream.of_purpose("answer")) == 1
    other = await program.post("apps/clerk/chat", {**body, "query": "Something else?"}, **headers)
    assert (other.status_code, other.json()["code"]) == (422, "request_id_reused")


async def test_builders_ask_the_draft_and_everybody_else_the_published_version(
    program: AsyncProgram, upstream: UpstreamServer, app: App
) -> None:
    await in_database(change_draft, app, revision=3, changes={"preset_prompt": "DRAFTY"})
    await program.post("apps/clerk/chat", {"query": "Hello?", "draft": True})
    await program.post("apps/clerk/chat", {"query": "Hello?"})
    asked = [exchange.messages[0]["content"] for exchange in upstream.of_purpose("answer")]
    assert ["DRAFTY" in prompt for prompt in asked] == [True, False]


@pytest.mark.parametrize("accept", ["text/event-stream", "application/pdf", "*/*", "nonsense"])
async def test_what_accept_says_changes_nothing(accept: str, program: AsyncProgram) -> None:
    answer = await program.post("apps/clerk/chat", {"query": "Hello?"}, Accept=accept)
    assert answer.json()["answer"] == "The default answer."
    assert (await program.get("apps", Accept=accept)).json()["count"] == 1


SMUGGLED = (
    "app_config", "config", "tools", "model", "prompt", "preset_prompt", "system", "graph",
    "base_url", "parameters", "temperature", "entry", "caller", "owner", "status", "price",
)  # fmt: skip


@pytest.mark.parametrize("field", SMUGGLED)
async def test_a_question_carries_no_configuration(
    field: str, program: AsyncProgram, upstream: UpstreamServer
) -> None:
    body = {"query": "Hello?", field: {"name": "x"}}
    answer = await program.post("apps/clerk/chat", body)
    assert (answer.status_code, answer.json()["details"].keys()) == (400, {field})
    assert not upstream.requests
    assert not await in_database(Message.objects.exists)


BAD_INPUT: dict[str, tuple[dict[str, Any], int, str]] = {
    "blank query": ({"query": " \n"}, 400, "blank_query"),
    "empty query": ({"query": ""}, 400, "blank_query"),
    "no query": ({}, 400, "invalid"),
    "query is no text": ({"query": ["a"]}, 400, "invalid"),
    "query too long": ({"query": "x" * (LONGEST_QUERY + 1)}, 413, "query_too_long"),
    "body too large": ({"query": "x" * 1_100_000}, 413, "body_too_large"),
    "conversation is no id": ({"query": "a", "conversation_id": "7"}, 400, "invalid"),
    "unknown conversation": (
        {"query": "a", "conversation_id": "0b6a1f0e-9a0f-4e0e-8f57-6e2b8c1d2a3f"}, 404, "not_found",
    ),
    "stream is no truth value": ({"query": "a", "stream": "perhaps"}, 400, "invalid"),
    "endless request id": ({"query": "a", "client_request_id": "x" * 101}, 400, "invalid"),
}  # fmt: skip


@pytest.mark.parametrize(("body", "status", "code"), BAD_INPUT.values(), ids=BAD_INPUT.keys())
async def test_bad_input_is_refused_and_changes_nothing(
    body: dict[str, Any], status: int, code: str, program: AsyncProgram, upstream: UpstreamServer
) -> None:
    answer = await program.post("apps/clerk/chat", body)
    said = answer.json()
    assert (answer.status_code, said["code"]) == (status, code), said
    assert said.keys() == {"code", "message", "details", "request_id"}
    assert not upstream.requests
    assert not await in_database(Message.objects.exists)


async def test_every_reason_why_an_app_cannot_be_asked_has_its_own_words(
    program: AsyncProgram, app: App, builder: Program, upstream: UpstreamServer
) -> None:
    await in_database(create_app, owner=builder.user, slug="new", name="New")
    unpublished = (await program.post("apps/new/chat", {"query": "Hello?"})).json()
    modelless = (await program.post("apps/new/chat", {"query": "Hello?", "draft": True})).json()
    await in_database(disable_app, app, user=builder.user)
    disabled = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()
    unknown = (await program.post("apps/nobody/chat", {"query": "Hello?"})).json()
    wrong_key = (await AsyncProgram("x" * 30).post("apps/clerk/chat", {"query": "Hello?"})).json()
    said = [unpublished, modelless, disabled, unknown, wrong_key]
    assert [body["code"] for body in said] == [
        "app_not_published", "model_missing", "app_disabled", "not_found", "invalid_api_key",
    ]  # fmt: skip
    assert len({body["message"] for body in said}) == len(said)
    assert not upstream.requests


async def test_header_and_body_must_not_name_two_request_ids(program: AsyncProgram) -> None:
    body = {"query": "Hello?", "client_request_id": "a"}
    answer = await program.post("apps/clerk/chat", body, **{"Idempotency-Key": "b"})
    assert (answer.status_code, answer.json()["details"].keys()) == (400, {"client_request_id"})


async def test_an_oversized_body_is_measured_by_the_setting(
    program: AsyncProgram, settings: Any
) -> None:
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    answer = await program.post("apps/clerk/chat", {"query": "x" * 100})
    assert (answer.status_code, answer.json()["code"]) == (413, "body_too_large")
