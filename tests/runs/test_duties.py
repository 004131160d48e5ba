"""What happens after the answer: title and summary, derived from rows."""

import asyncio
from itertools import permutations

import pytest

from apps.conversations.models import Conversation, Message
from apps.runs.database import in_database
from apps.runs.duties import due_summaries, due_titles
from apps.runs.summaries import summarise_conversation
from apps.runs.titles import title_conversation
from apps.usage.models import ModelCall
from tests.fakes.upstream import failure, purpose, text
from tests.runs.conftest import Bench


async def fresh(message: Message) -> Conversation:
    return await in_database(Conversation.objects.get, pk=message.conversation_id)


async def work(function: object, message: Message) -> None:
    """As a Celery worker does: in a thread without an event loop."""
    await in_database(function, str(message.conversation_id))  # type: ignore[arg-type]


async def test_a_title_is_written_once(bench: Bench) -> None:
    message = await bench.answer("What is the capital of France?")
    assert await in_database(due_titles) == [message.conversation_id]
    await work(title_conversation, message)
    await work(title_conversation, message)
    assert (await fresh(message)).title == "A short title"
    assert len(bench.upstream.of_purpose("title")) == 1
    assert await in_database(due_titles) == []


async def test_a_name_given_meanwhile_is_kept(bench: Bench) -> None:
    message = await bench.answer("What is the capital of France?")
    await in_database(
        Conversation.objects.filter(pk=message.conversation_id).update, title="My own"
    )
    await work(title_conversation, message)
    assert (await fresh(message)).title == "My own"


async def test_without_a_model_that_answers_the_question_is_the_title(bench: Bench) -> None:
    message = await bench.answer("What is the capital of France and why?")
    bench.upstream.script(failure(400, {"error": {"message": "no"}}), when=purpose("title"))
    await work(title_conversation, message)
    assert (await fresh(message)).title == "What is the capital of France"


async def test_the_summary_appears_and_is_in_the_next_request(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("My cat is called Schnurri. " * 5)
    assert await in_database(due_summaries) == [message.conversation_id]
    bench.upstream.script(text("The user's cat is called Schnurri."), when=purpose("summary"))
    await work(summarise_conversation, message)
    assert await in_database(due_summaries) == []
    following = await bench.answer("What is my cat called?", await fresh(message))
    system = bench.upstream.of_purpose("answer")[-1].messages[0]["content"]
    assert system.rstrip().endswith("The user's cat is called Schnurri.") or (
        "The user's cat is called Schnurri." in system
    )
    assert (await bench.steps(following))[0].event == "long_term_memory_recall"


async def test_a_summary_is_only_used_where_long_term_memory_is_on(bench: Bench) -> None:
    message = await bench.answer("Hello.")
    await in_database(
        Conversation.objects.filter(pk=message.conversation_id).update, summary="xyzzy"
    )
    await bench.answer("Hello again.", await fresh(message))
    assert "xyzzy" not in str(bench.upstream.bodies[-1])


@pytest.mark.parametrize("order", list(permutations([0, 1, 1])), ids=str)
async def test_tasks_in_any_order_end_at_the_newest_turn(
    bench: Bench, order: tuple[int, ...]
) -> None:
    await bench.configure(long_term_memory=True)
    first = await bench.answer("The first thing that I want to tell you about. " * 3)
    if order[0] == 0:
        await work(summarise_conversation, first)
    second = await bench.answer("A second thing, which is longer. " * 3, await fresh(first))
    await asyncio.gather(*(work(summarise_conversation, first) for _ in order))
    assert (await fresh(first)).summary_covers_id == second.pk


async def test_a_failed_summary_keeps_the_old_one_and_is_owed(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("Hello there, how are you? " * 3)
    await in_database(
        Conversation.objects.filter(pk=message.conversation_id).update, summary="Old."
    )
    bench.upstream.script(failure(400, {"error": {"message": "no"}}), when=purpose("summary"))
    await work(summarise_conversation, message)
    kept = await fresh(message)
    assert (kept.summary, kept.summary_covers_id, kept.failed_duties) == ("Old.", None, 1)
    assert await in_database(due_summaries) == [message.conversation_id]


async def test_what_fails_again_and_again_is_left_to_the_next_turn(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("Hello there, how are you? " * 3)
    await in_database(
        Conversation.objects.filter(pk=message.conversation_id).update, failed_duties=3
    )
    assert await in_database(due_summaries) == []


async def test_auxiliary_calls_are_booked_under_their_own_purpose(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("Hello there, how are you today? " * 3)
    await work(title_conversation, message)
    await work(summarise_conversation, message)
    rows = await in_database(
        lambda: sorted(ModelCall.objects.values_list("purpose", "output_tokens"))
    )
    assert rows == [("answer", 5), ("summary", 5), ("title", 5)]
    assert (await bench.row(message)).output_tokens == 5
