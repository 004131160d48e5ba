"""What a socket may ask for: rights, keys, other people's runs, the limit of questions."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.core.cache import cache
from django.test.utils import CaptureQueriesContext

from agents.events import Audience
from apps.accounts.api_keys import create_api_key
from apps.accounts.callers import caller_for_api_key, caller_for_user
from apps.accounts.models import Caller, User
from apps.accounts.roles import BUILDERS, MEMBERS, OPERATORS
from apps.chat import asking
from apps.chat.frames import Attach, Regenerate, Send, Stop, Watch
from apps.conversations.models import Entry, Message
from apps.runs.rate import TOO_MANY
from apps.runs.refusal import RunRefused
from apps.studio.models import App
from tests.chat.conftest import MakeUser


@pytest.fixture(autouse=True)
def _fresh_counters() -> Iterator[None]:
    cache.clear()
    yield
    cache.clear()


def send(**fields: Any) -> Send:
    return Send(type="send", **{"app": "guide", "query": "Hi", **fields})


@pytest.fixture
def member(make_user: MakeUser) -> Caller:
    return caller_for_user(make_user("member"))


@pytest.fixture
def asked(app: App, owner: User) -> Message:
    """The owner's running turn."""
    run = asking.ask(caller_for_user(owner), send())
    return Message.objects.get(task_id=run.task_id)


def test_a_question_by_a_person_comes_from_the_web(app: App, member: Caller) -> None:
    run = asking.ask(member, send())
    assert Message.objects.get(task_id=run.task_id).entry == Entry.WEB
    assert run.audience is Audience.ASKER_FULL


def test_a_question_by_a_program_comes_from_the_api(app: App, owner: User) -> None:
    key, _ = create_api_key(user=owner, name="k")
    run = asking.ask(caller_for_api_key(key), send())
    assert Message.objects.get(task_id=run.task_id).entry == Entry.API


def test_a_further_question_takes_at_most_eight_statements(
    app: App, member: Caller, django_assert_max_num_queries: Callable[..., CaptureQueriesContext]
) -> None:
    run = asking.ask(member, send())
    Message.objects.update(status="normal")
    further = send(conversation=run.conversation_id)
    with django_assert_max_num_queries(8):
        asking.ask(member, further)


def test_a_builder_asks_the_draft_in_the_debugger(app: App, owner: User) -> None:
    run = asking.ask(caller_for_user(owner), send(draft=True))
    message = Message.objects.get(task_id=run.task_id)
    assert (message.entry, message.app_config.version) == (Entry.DEBUGGER, None)  # type: ignore[union-attr]
    assert run.audience is Audience.BUILDER


def test_a_member_may_not_ask_a_draft(app: App, member: Caller) -> None:
    assert refusal_of(asking.ask, member, send(draft=True)) == "not_found"


@pytest.mark.parametrize("is_owner", [True, False], ids=["owner", "editor"])
def test_who_is_no_builder_any_more_neither_asks_a_draft_nor_sees_more_than_askers(
    app: App, owner: User, make_user: MakeUser, is_owner: bool
) -> None:
    former = owner if is_owner else make_user("editor", BUILDERS)
    app.editors.add(former)
    former.groups.set([Group.objects.get_or_create(name=MEMBERS)[0]])
    caller = caller_for_user(User.objects.get(pk=former.pk))
    assert refusal_of(asking.ask, caller, send(draft=True)) == "not_found"
    assert asking.ask(caller, send()).audience is Audience.ASKER_FULL


def test_a_key_without_the_manage_scope_may_not_ask_a_draft(app: App, owner: User) -> None:
    key, _ = create_api_key(user=owner, name="k", can_manage=False)
    assert refusal_of(asking.ask, caller_for_api_key(key), send(draft=True)) == "not_found"


def test_a_key_reaches_only_the_apps_that_name_it(app: App, owner: User) -> None:
    key, _ = create_api_key(user=owner, name="k", all_apps=False)
    assert refusal_of(asking.ask, caller_for_api_key(key), send()) == "not_found"
    app.api_keys.add(key)
    asking.ask(caller_for_api_key(key), send())


def test_a_private_app_is_not_found(app: App, member: Caller) -> None:
    App.objects.update(visibility=App.Visibility.PRIVATE)
    assert refusal_of(asking.ask, member, send()) == "not_found"


def test_nobody_asks_in_the_conversation_of_another(
    app: App, asked: Message, member: Caller
) -> None:
    frame = send(conversation=str(asked.conversation_id))
    assert refusal_of(asking.ask, member, frame) == "not_found"


def test_a_conversation_of_the_debugger_is_not_continued_on_the_page(app: App, owner: User) -> None:
    run = asking.ask(caller_for_user(owner), send(draft=True))
    frame = send(conversation=run.conversation_id)
    assert refusal_of(asking.ask, caller_for_user(owner), frame) == "not_found"


@pytest.mark.parametrize("act", ["attach", "stop", "regenerate", "watch"])
def test_the_run_of_another_is_not_found(asked: Message, member: Caller, act: str) -> None:
    frames: dict[str, tuple[Callable[..., object], object]] = {
        "attach": (asking.attach, Attach(type="attach", task_id=str(asked.task_id))),
        "stop": (asking.stop, Stop(type="stop", task_id=str(asked.task_id))),
        "regenerate": (asking.ask_again, Regenerate(type="regenerate", message=str(asked.pk))),
        "watch": (asking.watch, Watch(type="watch", conversation=str(asked.conversation_id))),
    }
    function, frame = frames[act]
    assert refusal_of(function, member, frame) == "not_found"
    asked.refresh_from_db()
    assert asked.status == "queued"


def test_an_operator_follows_but_does_not_answer_again_for_others(
    asked: Message, make_user: MakeUser
) -> None:
    boss = caller_for_user(make_user("boss", OPERATORS))
    run = asking.attach(boss, Attach(type="attach", task_id=str(asked.task_id)))
    assert run.audience is Audience.BUILDER
    again = Regenerate(type="regenerate", message=str(asked.pk))
    assert refusal_of(asking.ask_again, boss, again) == "not_found"


def test_questions_a_minute_are_counted_for_one_user_over_all_their_callers(
    app: App, owner: User, member: Caller, settings: Any
) -> None:
    settings.QUESTIONS_PER_MINUTE = 3
    key, _ = create_api_key(user=owner, name="k")
    callers = [caller_for_user(owner), caller_for_api_key(key)]
    for number in range(3):
        asking.ask(callers[number % 2], send())
    assert refusal_of(asking.ask, callers[0], send()) == TOO_MANY
    asking.ask(member, send())


def test_answering_again_counts_as_a_question(asked: Message, owner: User, settings: Any) -> None:
    settings.QUESTIONS_PER_MINUTE = 1
    again = Regenerate(type="regenerate", message=str(asked.pk))
    assert refusal_of(asking.ask_again, caller_for_user(owner), again) == TOO_MANY


def refusal_of(function: Callable[..., object], caller: Caller, frame: object) -> str:
    with pytest.raises(RunRefused) as caught:
        function(caller, frame)
    return caught.value.code
