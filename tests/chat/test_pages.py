"""The chat and debugger pages: who sees what, in how many statements, under which policy."""

from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.utils import timezone

from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.accounts.roles import BUILDERS, OPERATORS
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.studio.drafts import create_app
from apps.studio.models import App
from tests.chat.conftest import MakeUser

STRICT = (
    "base-uri 'none'; connect-src 'self'; default-src 'none'; font-src 'self'; form-action 'self'; "
    "frame-ancestors 'none'; img-src 'self' data: blob:; script-src 'self'; style-src 'self'"
)
HOSTILE = "<img src=x onerror=alert(1)>"


def client_of(user: User) -> Client:
    client = Client()
    client.force_login(user)
    return client


def converse(user: User, app: App, turns: int = 1, entry: str = Entry.WEB) -> Conversation:
    """A conversation of finished turns, each with one tool step."""
    caller = caller_for_user(user)
    conversation = Conversation.objects.create(app=app, caller=caller, entry=entry, title="T")
    parent = None
    for number in range(turns):
        parent = add_turn(conversation, parent, f"question {number}")
    return conversation


def add_turn(
    conversation: Conversation, parent: Message | None, query: str, **more: str
) -> Message:
    message = Message.objects.create(
        conversation=conversation,
        parent=parent,
        app_config=conversation.app.published_config,
        entry=conversation.entry,
        caller=conversation.caller,
        query=query,
        **{"answer": f"answer to {query}", "status": "normal", **more},
    )
    after = parent.created_at + timedelta(seconds=1) if parent else timezone.now()
    Message.objects.filter(pk=message.pk).update(created_at=after)
    message.created_at = after
    MessageAgentThought.objects.create(
        message=message,
        position=1,
        event="agent_action",
        event_id="tool-1",
        tool="current_time",
        tool_call_id="c1",
        tool_input='{"zone": "UTC"}',
        tool_status="success",
        observation="noon",
    )
    return message


def url_of(conversation: Conversation, rest: str = "") -> str:
    return f"/apps/{conversation.app.slug}/c/{conversation.pk}/{rest}"


def test_signed_out_people_are_sent_to_the_door_and_back(client: Client, app: App) -> None:
    answer = client.get("/apps/guide/")
    assert answer.headers["Location"] == "/accounts/login/?next=/apps/guide/"


def test_home_lists_published_apps_and_to_their_editors_the_others(
    app: App, owner: User, make_user: MakeUser
) -> None:
    create_app(owner=owner, slug="draft", name="Half done", visibility=App.Visibility.SITE)
    assert "Half done" in client_of(owner).get("/").content.decode()
    seen = client_of(make_user("member")).get("/").content.decode()
    assert "Guide" in seen
    assert "Half done" not in seen


def test_an_empty_conversation_opens_with_the_statement_and_the_questions(
    app: App, owner: User
) -> None:
    page = client_of(owner).get("/apps/guide/").content.decode()
    assert "<p>Ask <strong>me</strong></p>" in page
    assert "Why?" in page


@pytest.mark.parametrize("turns", [1, 10, 60])
def test_a_conversation_takes_three_statements_beside_session_and_user(
    app: App,
    make_user: MakeUser,
    turns: int,
    django_assert_num_queries: Callable[..., object],
) -> None:
    user = make_user("member")
    conversation = converse(user, app, turns)
    client = client_of(user)
    session_and_user = 2
    with django_assert_num_queries(session_and_user + 3):  # type: ignore[attr-defined]
        page = client.get(url_of(conversation)).content.decode()
    assert (
        page.count('<article class="turn"') == min(turns, 50) + 1
    )  # and the template of a new one


def test_an_untitled_conversation_is_named_by_its_first_question(
    app: App, owner: User, django_assert_num_queries: Callable[..., object]
) -> None:
    conversation = converse(owner, app, turns=0)
    Conversation.objects.filter(pk=conversation.pk).update(title="")
    first = add_turn(conversation, None, "Why is the sky " + "so very " * 20 + "blue?")
    add_turn(conversation, first, "And the sea?")
    client = client_of(owner)
    session_and_user = 2
    with django_assert_num_queries(session_and_user + 3):  # type: ignore[attr-defined]
        page = client.get(url_of(conversation)).content.decode()
    shortened = "Why is the sky so very so very so very so very so very so v…"
    assert f"<title>{shortened} · Guide · Quintet</title>" in page
    assert f'<h1 class="chat-title">{shortened}</h1>' in page
    assert f'aria-current="page">{shortened}</a>' in page
    assert "data-untitled" in page


def test_earlier_turns_come_a_part_at_a_time(app: App, owner: User) -> None:
    conversation = converse(owner, app, turns=60)
    client = client_of(owner)
    page = client.get(url_of(conversation)).content.decode()
    assert "question 9<" not in page
    earlier = page.split('data-earlier="')[1].split('"')[0]
    part = client.get(url_of(conversation, f"turns/?upto={earlier}")).content.decode()
    assert part.count('<article class="turn"') == 10
    assert part.index("question 0<") < part.index("question 9<")
    assert "data-earlier" not in part


def test_only_the_newest_branch_is_shown(app: App, owner: User) -> None:
    conversation = converse(owner, app, turns=2)
    first, second = conversation.messages.order_by("created_at")
    add_turn(conversation, first, "question 1", answer="another answer")
    Message.objects.filter(answer="another answer").update(
        created_at=second.created_at + timedelta(seconds=1)
    )
    page = client_of(owner).get(url_of(conversation)).content.decode()
    assert "another answer" in page
    assert "answer to question 1" not in page
    assert "answer to question 0" in page


def test_turns_after_one_are_sent_alone_and_a_lost_branch_asks_for_a_new_page(
    app: App, owner: User
) -> None:
    conversation = converse(owner, app, turns=3)
    client = client_of(owner)
    first = conversation.messages.order_by("created_at")[0]
    part = client.get(url_of(conversation, f"turns/?after={first.pk}")).content.decode()
    assert part.count('<article class="turn"') == 2
    assert client.get(url_of(conversation, f"turns/?after={uuid4()}")).status_code == 205


@pytest.mark.parametrize("rest", ["", "turns/", "turns/{message}/", "turns/{message}/steps/"])
def test_a_conversation_of_somebody_else_is_not_found(
    app: App, owner: User, make_user: MakeUser, rest: str
) -> None:
    conversation = converse(owner, app)
    message = conversation.messages.get()
    url = url_of(conversation, rest.format(message=message.pk))
    assert client_of(owner).get(url).status_code == 200
    assert client_of(make_user("member")).get(url).status_code == 404
    assert client_of(make_user("boss", OPERATORS)).get(url).status_code == 404


@pytest.mark.parametrize("act", ["rename/", "delete/"])
def test_only_the_owner_renames_and_deletes(
    app: App, owner: User, make_user: MakeUser, act: str
) -> None:
    conversation = converse(owner, app)
    url = url_of(conversation, act)
    assert client_of(make_user("member")).post(url, {"title": "Mine"}).status_code == 404
    assert client_of(owner).get(url).status_code == 405
    conversation.refresh_from_db()
    assert (conversation.title, conversation.is_deleted) == ("T", False)


def test_rename_and_delete(app: App, owner: User) -> None:
    conversation = converse(owner, app)
    client = client_of(owner)
    client.post(url_of(conversation, "rename/"), {"title": "  A  new\ntitle "})
    conversation.refresh_from_db()
    assert conversation.title == "A new title"
    for wrong in (" ", "a\0b"):
        assert client.post(url_of(conversation, "rename/"), {"title": wrong}).status_code == 400
    client.post(url_of(conversation, "delete/"))
    assert client.get(url_of(conversation)).status_code == 404


def test_a_deleted_conversation_asks_its_run_to_stop(app: App, owner: User) -> None:
    conversation = converse(owner, app)
    running = add_turn(conversation, None, "still running", status="running")
    client_of(owner).post(url_of(conversation, "delete/"))
    running.refresh_from_db()
    assert running.stop_requested_at is not None


def test_a_conversation_is_closed_when_its_app_is(
    app: App, owner: User, make_user: MakeUser
) -> None:
    member = make_user("member")
    conversation = converse(member, app)
    app.visibility = App.Visibility.PRIVATE
    app.save()
    assert client_of(member).get(url_of(conversation)).status_code == 404


def test_the_debugger_is_for_those_who_may_edit(app: App, owner: User, make_user: MakeUser) -> None:
    url = "/studio/apps/guide/debug/"
    assert client_of(owner).get(url).status_code == 200
    assert client_of(make_user("boss", OPERATORS)).get(url).status_code == 200
    assert client_of(make_user("member")).get(url).status_code == 404
    assert client_of(make_user("other", BUILDERS)).get(url).status_code == 404


def test_debugger_and_chat_page_keep_their_conversations_apart(app: App, owner: User) -> None:
    debugged = converse(owner, app, entry=Entry.DEBUGGER)
    client = client_of(owner)
    assert client.get(url_of(debugged)).status_code == 404
    page = client.get(f"/studio/apps/guide/debug/c/{debugged.pk}/")
    assert page.status_code == 200
    assert str(debugged.pk) not in client.get("/apps/guide/").content.decode()


def test_steps_show_builders_what_the_model_was_asked_and_members_not(
    app: App, owner: User, make_user: MakeUser
) -> None:
    member = make_user("member")
    for user, sees_it in ((owner, True), (member, False)):
        conversation = converse(user, app)
        message = conversation.messages.get()
        MessageAgentThought.objects.create(
            message=message,
            position=2,
            event="agent_message",
            event_id="message-1",
            new_messages=[{"role": "user", "content": "the exact prompt"}],
            assistant_message={"content": "raw words"},
        )
        url = url_of(conversation, f"turns/{message.pk}/steps/")
        page = client_of(user).get(url).content.decode()
        assert ("the exact prompt" in page, "raw words" in page) == (sees_it, sees_it)
        assert "current time" in page.lower()


@pytest.mark.parametrize(("shows", "has_steps"), [("full", True), ("names", True), ("off", False)])
def test_an_asker_sees_as_much_work_as_the_app_shows(
    app: App, make_user: MakeUser, shows: str, has_steps: bool
) -> None:
    assert app.published_config
    type(app.published_config).objects.filter(pk=app.published_config.pk).update(show_steps=shows)
    member = make_user("member")
    conversation = converse(member, app)
    client = client_of(member)
    message = conversation.messages.get()
    assert ("Used current time" in client.get(url_of(conversation)).content.decode()) == has_steps
    steps = client.get(url_of(conversation, f"turns/{message.pk}/steps/")).content.decode()
    assert ("noon" in steps) == (shows == "full")


def test_tools_that_only_failed_are_told_apart(app: App, owner: User) -> None:
    conversation = converse(owner, app)
    steps = {"message": conversation.messages.get(), "event": "agent_action", "observation": "-"}
    for position, (tool, status) in enumerate(
        [("calculator", "error"), ("calculator", "success"), ("no_such_tool", "error")], start=2
    ):
        MessageAgentThought.objects.create(
            **steps, position=position, event_id=str(position), tool=tool, tool_status=status
        )
    page = client_of(owner).get(url_of(conversation)).content.decode()
    assert "Used current time, calculator; failed: no such tool" in page


@pytest.mark.parametrize(
    ("failed", "focused"), [(False, "username"), (True, "password")], ids=["first", "again"]
)
def test_the_door_puts_the_cursor_where_something_is_missing(
    db: None, failed: bool, focused: str
) -> None:
    wrong = {"username": "ada", "password": "wrong"}
    client = Client()
    answer = client.post("/accounts/login/", wrong) if failed else client.get("/accounts/login/")
    page = answer.content.decode()
    assert page.count("autofocus") == 1
    assert f'name="{focused}"' in page.split("autofocus")[0].rpartition("<input")[2]


@pytest.mark.parametrize(
    "path", ["/", "/apps/guide/", "/accounts/login/", "/nothing/", "/studio/apps/guide/debug/"]
)
def test_every_page_has_the_strict_policy(app: App, owner: User, path: str) -> None:
    client = Client() if "login" in path else client_of(owner)
    answer = client.get(path)
    policy = "; ".join(sorted(answer.headers["Content-Security-Policy"].split("; ")))
    assert policy == STRICT
    assert "<style" not in answer.content.decode()
    assert " style=" not in answer.content.decode()


def test_names_titles_and_questions_are_text_everywhere(app: App, owner: User) -> None:
    App.objects.filter(pk=app.pk).update(name=HOSTILE, description=HOSTILE, icon="<b>")
    conversation = converse(owner, app)
    Conversation.objects.filter(pk=conversation.pk).update(title=HOSTILE)
    add_turn(conversation, conversation.messages.get(), HOSTILE, answer=HOSTILE)
    client = client_of(owner)
    for path in ("/", "/apps/guide/", url_of(conversation)):
        page = client.get(path).content.decode()
        assert "&lt;img src=x onerror=alert(1)&gt;" in page
        assert "<img src=x" not in page


def test_ten_failures_lock_the_door(db: None, make_user: MakeUser) -> None:
    user = make_user("victim")
    user.set_password("right password")
    user.save()
    client = Client()
    wrong = {"username": "victim", "password": "wrong"}
    for _ in range(10):
        client.post("/accounts/login/", wrong)
    right = {"username": "victim", "password": "right password"}
    assert client.post("/accounts/login/", right).status_code == 429
    assert "_auth_user_id" not in client.session
