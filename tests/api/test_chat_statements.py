"""What a question over REST costs the database, everything included."""

from collections.abc import Awaitable, Callable

import pytest

from apps.runs.database import in_database
from apps.runs.home import RunHome
from apps.studio.models import App
from tests.api.conftest import AsyncProgram, Program, read_frames, script_app
from tests.fakes.upstream import UpstreamServer, text

pytestmark = [
    pytest.mark.urls("apps.api.urls"),
    pytest.mark.django_db(transaction=True),
]

LIMIT = 14


@pytest.fixture
def people(builder: Program, member: Program) -> tuple[Program, Program]:
    """Who makes the App, and somebody who only chats."""
    return builder, member


async def builder_with_a_key(builder: Program, _member: Program) -> AsyncProgram:
    return AsyncProgram(builder.secret)


async def member_with_a_key(_builder: Program, member: Program) -> AsyncProgram:
    return AsyncProgram(member.secret)


async def member_in_a_session(_builder: Program, member: Program) -> AsyncProgram:
    program = AsyncProgram()
    await program.log_in(member.user)
    return program


ASKERS = (builder_with_a_key, member_with_a_key, member_in_a_session)


@pytest.mark.parametrize("chunks", [2, 200], ids="{} tokens".format)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
@pytest.mark.parametrize("asker", ASKERS, ids=lambda asker: str(asker.__name__))
async def test_a_question_over_rest_costs_at_most_14_statements(
    chunks: int,
    stream: bool,
    asker: Callable[[Program, Program], Awaitable[AsyncProgram]],
    people: tuple[Program, Program],
    upstream: UpstreamServer,
    home: RunHome,
    statements: list[str],
) -> None:
    await in_database(script_app, upstream, people[0].user)
    await in_database(App.objects.update, visibility=App.Visibility.SITE)
    program = await asker(*people)
    upstream.script(text("Hello."), text("x" * chunks, chunks=chunks))
    first = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()
    body = {"query": "On?", "conversation_id": first["conversation_id"], "stream": stream}
    await home.finished(first["task_id"])
    statements.clear()
    answer = await program.post("apps/clerk/chat", body)
    if stream:
        frames = [frame.data async for frame in read_frames(answer)]
    await home.finished(frames[0]["task_id"] if stream else answer.json()["task_id"])
    assert len(statements) <= LIMIT, "\n".join(statement[:150] for statement in statements)
