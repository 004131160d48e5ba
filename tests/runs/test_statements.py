"""What a turn costs the database: nothing per token, a bounded number per turn, the same in old conversations."""

from datetime import timedelta
from typing import Any

import psutil
from django.db import connections
from django.utils import timezone

from agents.outcome import RunStatus
from apps.conversations.models import Conversation, Entry, Message
from apps.runs.database import in_database
from tests.fakes.upstream import call, calls, text
from tests.runs.conftest import Bench

# Authentication, App and conversation are read by the entry before a run starts: see the scenarios.
READ_BY_THE_ENTRY = 3
LIMIT = 14 - READ_BY_THE_ENTRY
PER_TOOL_ROUND = 6


def add_turns(conversation: Conversation, bench: Bench, count: int) -> None:
    """`count` old turns, each the parent of the next."""
    start = timezone.now() - timedelta(days=1)
    turns = [
        Message(
            conversation=conversation,
            app_config=bench.app.published_config,
            entry=Entry.WEB,
            caller=bench.caller,
            query=f"question {number}",
            answer=f"answer {number}",
            status=RunStatus.NORMAL,
        )
        for number in range(count)
    ]
    for number, turn in enumerate(turns):
        turn.parent = turns[number - 1] if number else None
    Message.objects.bulk_create(turns, batch_size=500)
    for number, turn in enumerate(turns):
        turn.created_at = start + timedelta(seconds=number)
    Message.objects.bulk_update(turns, ["created_at"], batch_size=500)


async def warm(bench: Bench, **rest: Any) -> Message:
    """One turn before counting: configuration and prompt are then known to the process."""
    await bench.configure(**rest)
    return await bench.answer("Hello?")


async def test_a_turn_without_tools_costs_at_most_14_statements(
    bench: Bench, statements: list[str]
) -> None:
    first = await warm(bench, tools=[])
    bench.upstream.script(text("Fine, thanks."))
    statements.clear()
    message = await bench.ask("How are you?", first.conversation)
    await bench.home.finished(str(message.task_id))
    assert len(statements) <= LIMIT, "\n".join(statements)


async def test_a_longer_answer_costs_no_more_statements(
    bench: Bench, statements: list[str]
) -> None:
    first = await warm(bench, tools=[])
    counts = []
    for length in (10, 400):
        bench.upstream.script(text("word " * length, chunks=length))
        statements.clear()
        message = await bench.ask("Talk.", first.conversation)
        await bench.home.finished(str(message.task_id))
        counts.append(len(statements))
    assert counts[0] == counts[1]


async def test_a_tool_round_costs_at_most_6_statements_more(
    bench: Bench, statements: list[str]
) -> None:
    first = await warm(bench)
    counts = []
    for rounds in (0, 1, 2):
        bench.upstream.script(
            *[calls(call("calculator", f"c{rounds}{i}", expression="1+1")) for i in range(rounds)],
            text("Done."),
        )
        statements.clear()
        message = await bench.ask("Calculate.", first.conversation)
        await bench.home.finished(str(message.task_id))
        counts.append(len(statements))
    assert counts[1] - counts[0] <= PER_TOOL_ROUND
    assert counts[2] - counts[1] <= PER_TOOL_ROUND


async def test_the_five_thousandth_turn_costs_what_the_tenth_does(
    bench: Bench, statements: list[str]
) -> None:
    await warm(bench, tools=[])
    counts = []
    for turns in (10, 5000):
        conversation = await in_database(
            lambda: Conversation.objects.create(app=bench.app, caller=bench.caller, entry=Entry.WEB)
        )
        await in_database(add_turns, conversation, bench, turns)
        statements.clear()
        message = await bench.ask("And now?", conversation)
        await bench.home.finished(str(message.task_id))
        counts.append(len(statements))
        assert len(bench.upstream.bodies[-1]["messages"]) == 2 + 2 * 10
    assert counts[0] == counts[1]


async def test_after_fifty_runs_no_connection_is_left_over(bench: Bench) -> None:
    first = await warm(bench, tools=[])
    before = connections_in_use()
    for number in range(50):
        await bench.answer(f"Turn {number}", first.conversation)
    assert connections_in_use() == before


def connections_in_use() -> int:
    """Taken from the pool and not given back; on SQLite, which has none, open files of the database."""
    connection: Any = connections["default"]
    if connection.vendor == "postgresql":
        stats = connection.pool.get_stats()
        return int(stats["pool_size"] - stats["pool_available"])
    name = str(connection.settings_dict["NAME"])
    return sum(file.path == name for file in psutil.Process().open_files())
