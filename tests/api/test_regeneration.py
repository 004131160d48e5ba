"""Asking again over REST."""

from collections.abc import Callable

import pytest

from apps.accounts.roles import BUILDERS
from apps.conversations.models import Message
from apps.runs.database import in_database
from apps.studio.availability import disable_app
from apps.studio.drafts import change_draft
from apps.studio.models import App
from tests.api.conftest import AsyncProgram, Program, read_frames, script_app
from tests.fakes.upstream import UpstreamServer, text

pytestmark = [
    pytest.mark.urls("apps.api.urls"),
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("home"),
]


@pytest.fixture
def app(transactional_db: None, upstream: UpstreamServer, builder: Program) -> App:
    app = script_app(upstream, builder.user)
    App.objects.update(visibility=App.Visibility.SITE)
    return app


@pytest.fixture
def program(app: App, member: Program) -> AsyncProgram:
    return AsyncProgram(member.secret)


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "stream"])
async def test_a_new_answer_stands_beside_the_earlier_one_and_does_not_see_it(
    stream: bool, program: AsyncProgram, upstream: UpstreamServer
) -> None:
    upstream.script(text("First."), text("Second."))
    first = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()

    answer = await program.post(f"messages/{first['message_id']}/regenerate", {"stream": stream})

    assert answer.status_code == 200
    if stream:
        second = [frame.data async for frame in read_frames(answer)][-1]
    else:
        second = answer.json()
        assert second["answer"] == "Second."
    assert second["conversation_id"] == first["conversation_id"]
    messages = (await program.get(f"conversations/{first['conversation_id']}/messages")).json()
    told = [(m["message_id"], m["parent_id"], m["answer"]) for m in messages["results"]]
    assert told == [(first["message_id"], None, "First."), (second["message_id"], None, "Second.")]
    assert "First." not in str(upstream.of_purpose("answer")[1].messages)


async def test_a_draft_is_asked_again_as_a_draft(
    app: App, builder: Program, upstream: UpstreamServer
) -> None:
    program = AsyncProgram(builder.secret)
    await in_database(change_draft, app, revision=3, changes={"preset_prompt": "DRAFTY"})
    first = (await program.post("apps/clerk/chat", {"query": "Hello?", "draft": True})).json()

    await program.post(f"messages/{first['message_id']}/regenerate")

    prompts = [exchange.messages[0]["content"] for exchange in upstream.of_purpose("answer")]
    assert ["DRAFTY" in prompt for prompt in prompts] == [True, True]


async def test_whoever_edits_an_app_does_not_ask_in_the_name_of_others(
    program: AsyncProgram, builder: Program
) -> None:
    first = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()
    editor = AsyncProgram(builder.secret)

    answer = await editor.post(f"messages/{first['message_id']}/regenerate")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")
    assert await in_database(Message.objects.count) == 1


async def test_an_app_that_is_closed_meanwhile_is_not_asked_again(
    program: AsyncProgram, app: App, builder: Program
) -> None:
    first = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()
    path = f"messages/{first['message_id']}/regenerate"

    await in_database(disable_app, app, user=builder.user)
    disabled = await program.post(path)
    await in_database(App.objects.update, visibility=App.Visibility.PRIVATE)
    hidden = await program.post(path)

    assert [answer.json()["code"] for answer in (disabled, hidden)] == ["app_disabled", "not_found"]


async def test_somebody_who_is_no_builder_any_more_asks_no_draft_again(
    app: App, upstream: UpstreamServer, make_person: Callable[..., Program]
) -> None:
    person = await in_database(make_person, "pia", role=BUILDERS)
    await in_database(app.editors.add, person.user)
    program = AsyncProgram(person.secret)
    first = (await program.post("apps/clerk/chat", {"query": "Hello?", "draft": True})).json()

    await in_database(person.user.groups.clear)
    answer = await program.post(f"messages/{first['message_id']}/regenerate")

    assert (answer.status_code, answer.json()["code"]) == (403, "draft_refused")


@pytest.mark.parametrize("body", [{"query": "Other?"}, {"stream": "perhaps"}, []], ids=str)
async def test_a_wrong_order_is_refused(body: object, program: AsyncProgram) -> None:
    first = (await program.post("apps/clerk/chat", {"query": "Hello?"})).json()

    answer = await program.post(f"messages/{first['message_id']}/regenerate", body)

    assert (answer.status_code, answer.json()["code"]) == (400, "invalid")
