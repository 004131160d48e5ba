"""What happens after the answer: title and summary, derived from rows."""

import asyncio
from collections.abc import Callable
from itertools import permutations, product
from typing import Any

import pytest
from django.db import connection

from agents.outcome import FinishReason, RunStatus
from apps.conversations.history import is_sent
from apps.conversations.models import Conversation, Message
from apps.providers.models import LanguageModel
from apps.providers.specs import model_spec
from apps.runs.auxiliary_call import AuxiliaryCall
from apps.runs.database import in_database
from apps.runs.duties import due_summaries, due_titles
from apps.runs.regenerate import regenerate
from apps.runs.summaries import summarise_conversation
from apps.runs.titles import title_conversation
from apps.runs.uncovered import IS_SENT, TURNS_AT_ONCE
from apps.usage.models import ModelCall
from tests.fakes.upstream import failure, purpose, text
from tests.runs.conftest import Bench


async def fresh(message: Message) -> Conversation:
    return await in_database(Conversation.objects.get, pk=message.conversation_id)


async def work(function: Callable[[str], None], message: Message) -> None:
    """As a Celery worker does: in a thread without an event loop."""
    await in_database(function, str(message.conversation_id))


def copies(message: Message, number: int, **changes: Any) -> list[Message]:
    """`number` more turns behind `message`, in one line."""
    line = [message]
    for _ in range(number):
        fields = {
            "conversation": message.conversation,
            "app_config": message.app_config,
            "entry": message.entry,
            "caller": message.caller,
            "query": message.query,
            "answer": message.answer,
            "status": message.status,
        }
        line.append(Message.objects.create(**{**fields, **changes}, parent=line[-1]))
    return line[1:]


def last_summary_request(bench: Bench) -> str:
    return str(bench.upstream.of_purpose("summary")[-1].messages)


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


async def test_where_neither_model_nor_question_has_a_word_the_title_is_a_fixed_one(
    bench: Bench,
) -> None:
    message = await bench.answer('"#"')
    bench.upstream.script(text("**"), when=purpose("title"))
    await work(title_conversation, message)
    conversation = await fresh(message)
    assert (conversation.title, conversation.failed_duties) == ("Untitled", 1)
    assert await in_database(due_titles) == []


async def test_a_model_that_fails_at_the_title_is_counted(bench: Bench) -> None:
    message = await bench.answer("What is the capital of France?")
    bench.upstream.script(failure(400, {"error": {"message": "no"}}), when=purpose("title"))
    await work(title_conversation, message)
    assert (await fresh(message)).failed_duties == 1


async def test_no_database_connection_is_open_while_a_model_writes(bench: Bench) -> None:
    message = await bench.answer("Hello.")

    async def is_open() -> bool:
        return connection.connection is not None

    def ask() -> bool:
        call = AuxiliaryCall(
            model=model_spec(LanguageModel.objects.select_related("provider")[0]),
            conversation=message.conversation,
            purpose=ModelCall.Purpose.TITLE,
            max_tokens=1,
        )
        return call.run(is_open())

    assert await in_database(ask) is False


async def test_the_summary_appears_and_is_in_the_next_request(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("My cat is called Schnurri. " * 5)
    assert await in_database(due_summaries) == [message.conversation_id]
    bench.upstream.script(text("The user's cat is called Schnurri."), when=purpose("summary"))
    await work(summarise_conversation, message)
    assert await in_database(due_summaries) == []
    following = await bench.answer("What is my cat called?", await fresh(message))
    system = bench.upstream.of_purpose("answer")[-1].messages[0]["content"]
    assert "The user's cat is called Schnurri." in system
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


async def test_any_number_of_turns_that_are_never_sent_holds_nothing_up(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("The first thing that I want to tell you about. " * 3)
    await work(summarise_conversation, message)
    failed = await in_database(
        copies, await bench.row(message), TURNS_AT_ONCE, status=RunStatus.ERROR, answer=""
    )
    (last,) = await in_database(copies, failed[-1], 1, status=RunStatus.NORMAL, answer="Fine. " * 9)
    await work(summarise_conversation, message)
    assert (await fresh(message)).summary_covers_id == last.pk
    assert await in_database(due_summaries) == []


async def test_more_turns_than_are_told_at_once_are_told_in_the_end(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    message = await bench.answer("The first thing that I want to tell you about. " * 3)
    last = (await in_database(copies, await bench.row(message), TURNS_AT_ONCE))[-1]
    await work(summarise_conversation, message)
    assert await in_database(due_summaries) == [message.conversation_id]
    await work(summarise_conversation, message)
    assert (await fresh(message)).summary_covers_id == last.pk
    assert await in_database(due_summaries) == []


async def test_of_a_turn_that_was_answered_anew_only_the_new_line_is_told(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    bench.upstream.script(text("Paris, I think. " * 5), text("Below. " * 9), text("Lyon. " * 9))
    first = await bench.answer("The capital?")
    await bench.answer("And below it?", await fresh(first))
    again = await bench.ended(await in_database(regenerate, first, bench.caller))
    await work(summarise_conversation, first)
    told = last_summary_request(bench)
    assert "Lyon." in told
    assert "Paris" not in told
    assert "Below." not in told
    assert (await fresh(first)).summary_covers_id == again.pk
    assert await in_database(due_summaries) == []


async def test_a_summary_that_tells_a_discarded_turn_is_written_anew(bench: Bench) -> None:
    await bench.configure(long_term_memory=True)
    bench.upstream.script(text("Well. " * 9), text("Paris. " * 9), text("Lyon. " * 9))
    bench.upstream.script(text("They spoke of Paris."), when=purpose("summary"))
    first = await bench.answer("Hello there.")
    second = await bench.answer("The capital?", await fresh(first))
    await work(summarise_conversation, first)
    await bench.ended(await in_database(regenerate, second, bench.caller))
    await work(summarise_conversation, first)
    told = last_summary_request(bench)
    assert "Well." in told
    assert "Lyon." in told
    assert "Paris" not in told


async def test_the_database_and_the_history_agree_on_what_is_sent(bench: Bench) -> None:
    message = await bench.row(await bench.answer("Hello."))
    kinds = product(RunStatus, ["", "Text."], [FinishReason.STOP, "content_filter"], [False, True])

    def disagreements() -> list[Message]:
        for status, answer, reason, is_deleted in kinds:
            if status not in {RunStatus.RUNNING, RunStatus.WAITING_PERMIT}:
                copies(
                    message,
                    1,
                    status=status,
                    answer=answer,
                    finish_reason=reason,
                    is_deleted=is_deleted,
                )
        sent = set(Message.objects.filter(IS_SENT))
        assert len(sent) > 1
        return [one for one in Message.objects.all() if is_sent(one) != (one in sent)]

    assert await in_database(disagreements) == []


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
