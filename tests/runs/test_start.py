"""What is accepted, and what is refused with which words."""

import asyncio
from typing import Any

import pytest
from django.core.cache import cache

from apps.conversations.models import Message
from apps.providers.models import LanguageModel
from apps.runs.database import in_database
from apps.runs.refusal import RunRefused
from apps.runs.regenerate import regenerate
from apps.studio.drafts import change_draft, draft_of
from apps.studio.models import App
from tests.fakes.upstream import gate, text
from tests.runs.conftest import Bench, error_of


@pytest.mark.parametrize("query", ["", "   ", "\n\t"], ids=["empty", "blanks", "white space"])
async def test_a_blank_question_is_refused(bench: Bench, query: str) -> None:
    with pytest.raises(RunRefused) as refused:
        await bench.ask(query)
    assert (refused.value.code, refused.value.status) == ("blank_query", 400)
    assert await in_database(Message.objects.count) == 0


async def test_an_endless_question_is_refused_with_its_length(bench: Bench) -> None:
    with pytest.raises(RunRefused, match="100001") as refused:
        await bench.ask("x" * 100_001)
    assert refused.value.status == 413


async def test_a_disabled_app_says_so(bench: Bench) -> None:
    bench.app.status = App.Status.DISABLED
    with pytest.raises(RunRefused, match="disabled") as refused:
        await bench.ask("Hello?")
    assert refused.value.code == "app_disabled"


async def test_an_unpublished_app_says_what_to_do(bench: Bench) -> None:
    bench.app.published_config = None
    with pytest.raises(RunRefused, match="Publish") as refused:
        await bench.ask("Hello?")
    assert refused.value.code == "app_not_published"


async def test_a_model_that_was_disabled_since_is_named_in_the_error(bench: Bench) -> None:
    await in_database(LanguageModel.objects.filter(name="native").update, is_enabled=False)
    message = await bench.answer("Hello?")
    assert error_of(message)["code"] == "model_disabled"
    assert "native" in error_of(message)["message"]


async def test_the_same_request_id_gives_the_same_run(bench: Bench) -> None:
    bench.upstream.script(text("Once."))
    first = await bench.answer("Hello?", client_request_id="abc")
    again = await bench.ask("Hello?", client_request_id="abc")
    assert again.pk == first.pk
    assert len(bench.upstream.of_purpose("answer")) == 1


async def test_a_request_id_for_another_question_is_refused(bench: Bench) -> None:
    """LibreChat#14339."""
    await bench.answer("Hello?", client_request_id="abc")
    with pytest.raises(RunRefused) as refused:
        await bench.ask("Something else?", client_request_id="abc")
    assert (refused.value.code, refused.value.status) == ("request_id_reused", 422)


async def test_twenty_equal_requests_at_once_are_one_run(bench: Bench) -> None:
    asked = [bench.ask("Hello?", client_request_id="abc") for _ in range(20)]
    messages = await asyncio.gather(*asked)
    assert len({message.pk for message in messages}) == 1
    await bench.ended(messages[0])
    assert len(bench.upstream.of_purpose("answer")) == 1


async def test_a_question_above_those_of_a_minute_is_refused_but_a_repeated_request_is_not(
    bench: Bench, settings: Any
) -> None:
    cache.clear()
    settings.QUESTIONS_PER_MINUTE = 2
    first = await bench.answer("Hello?", client_request_id="abc")
    for _ in range(3):
        assert (await bench.ask("Hello?", client_request_id="abc")).pk == first.pk
    await bench.answer("Second?")
    with pytest.raises(RunRefused) as refused:
        await bench.ask("Third?")
    assert (refused.value.code, refused.value.status) == ("too_many_messages", 429)
    assert await in_database(Message.objects.count) == 2


async def test_ten_questions_at_once_are_ten_turns_one_after_the_other(bench: Bench) -> None:
    first = await bench.answer("Turn 0")
    await bench.configure(dialog_round=20)
    asked = [bench.ask(f"Turn {n}", first.conversation) for n in range(1, 9)]
    messages = await asyncio.gather(*asked)
    rows = [await bench.ended(message) for message in messages]
    assert {row.status for row in rows} == {"normal"}
    ordered = sorted(rows, key=lambda row: row.created_at)
    spans = [(row.started_at, row.ended_at) for row in ordered]
    assert all(
        earlier[1] <= later[0]  # type: ignore[operator]
        for earlier, later in zip(spans, spans[1:], strict=False)
    )
    last = bench.upstream.of_purpose("answer")[-1].messages
    assert [m["role"] for m in last] == ["system"] + ["user", "assistant"] * 8 + ["user"]


async def test_a_ninth_waiting_question_is_refused(bench: Bench) -> None:
    gated = gate(text("First"), after=0)
    bench.upstream.script(gated)
    first = await bench.ask("Turn 0")
    for number in range(8):
        await bench.ask(f"Turn {number + 1}", first.conversation)
    with pytest.raises(RunRefused) as refused:
        await bench.ask("Turn 9", first.conversation)
    assert (refused.value.code, refused.value.status) == ("queue_full", 429)
    gated.release()


async def test_an_app_that_rejects_says_that_it_is_busy(bench: Bench) -> None:
    await bench.configure(on_busy="reject")
    gated = gate(text("First"), after=0)
    bench.upstream.script(gated)
    first = await bench.ask("One")
    with pytest.raises(RunRefused) as refused:
        await bench.ask("Two", first.conversation)
    assert (refused.value.code, refused.value.status) == ("conversation_busy", 409)
    gated.release()


async def test_an_app_that_interrupts_stops_the_running_answer(bench: Bench) -> None:
    await bench.configure(on_busy="interrupt")
    gated = gate(text("First"), after=1)
    bench.upstream.script(gated, text("Second"))
    first = await bench.ask("One")
    await asyncio.to_thread(gated.wait_reached)
    second = await bench.ask("Two", first.conversation)
    assert (await bench.ended(second)).answer == "Second"
    assert (await bench.row(first)).status == "stopped"


async def test_a_queued_turn_sees_the_turn_before_it(bench: Bench) -> None:
    """dify#16450: history is read when the turn starts."""
    gated = gate(text("My name is Quintet."), after=0)
    bench.upstream.script(gated, text("Quintet, as I said."))
    first = await bench.ask("What is your name?")
    second = await bench.ask("Again?", first.conversation)
    gated.release()
    await bench.ended(second)
    assert "My name is Quintet." in str(bench.upstream.bodies[-1]["messages"])


async def test_a_regenerated_answer_never_sees_the_one_it_replaces(bench: Bench) -> None:
    """dify#18827."""
    bench.upstream.script(text("Zero."), text("A first try."), text("A second try."))
    opening = await bench.answer("Start.")
    first = await bench.answer("Tell me a joke.", opening.conversation)
    again = await in_database(regenerate, await bench.row(first), bench.caller)
    row = await bench.ended(again)
    assert row.answer == "A second try."
    assert row.parent_id == opening.pk
    sent = bench.upstream.bodies[-1]["messages"]
    assert "A first try." not in str(sent)
    assert [m["role"] for m in sent] == ["system", "user", "assistant", "user"]


async def test_publish_then_changing_the_draft_leaves_the_request_unchanged(bench: Bench) -> None:
    """MaxKB#6519: published entries read only the published version."""
    await bench.answer("Hello?")

    def edit() -> None:
        change_draft(
            bench.app,
            revision=draft_of(bench.app).revision,
            changes={"preset_prompt": "Speak like a pirate.", "tools": [], "temperature": 1.5},
        )

    await in_database(edit)
    await bench.answer("Hello?")
    first, second = (one.body for one in bench.upstream.of_purpose("answer"))
    for body in (first, second):
        body["messages"][-1]["content"] = body["messages"][-1]["content"].split("\n")[0]
    assert first == second
