"""What a question over REST costs the database, everything included."""

from typing import Any

import pytest
from django.db.backends.utils import CursorWrapper

from apps.runs.database import in_database
from apps.runs.home import RunHome
from tests.api.conftest import AsyncProgram, Program, read_frames, script_app
from tests.fakes.upstream import UpstreamServer, text

pytestmark = [
    pytest.mark.urls("apps.api.urls"),
    pytest.mark.django_db(transaction=True),
]

LIMIT = 14
UNCOUNTED = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE", "PRAGMA")


@pytest.fixture
def statements(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The SQL of every thread, without transaction control."""
    seen: list[str] = []
    execute = CursorWrapper.execute

    def counted(self: CursorWrapper, sql: Any, params: Any = None) -> Any:
        if not str(sql).lstrip().upper().startswith(UNCOUNTED):
            seen.append(str(sql))
        return execute(self, sql, params)

    monkeypatch.setattr(CursorWrapper, "execute", counted)
    return seen


@pytest.mark.parametrize("chunks", [2, 200], ids="{} tokens".format)
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_question_over_rest_costs_at_most_14_statements(
    chunks: int,
    stream: bool,
    builder: Program,
    upstream: UpstreamServer,
    home: RunHome,
    statements: list[str],
) -> None:
    await in_database(script_app, upstream, builder.user)
    program = AsyncProgram(builder.secret)
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
