"""A chat socket without a site around it: what it lets whom do, frame by frame."""

from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager

import pytest
from channels.testing import WebsocketCommunicator
from django.contrib.auth.models import Group

from apps.accounts.api_keys import create_api_key
from apps.accounts.models import ApiKey, User
from apps.accounts.roles import MEMBERS, OPERATORS
from apps.chat.consumers import ChatConsumer
from apps.chat.routing import application_of
from apps.runs.database import in_database
from apps.studio.models import App
from tests.chat.conftest import MakeUser

pytestmark = pytest.mark.django_db(transaction=True)


@asynccontextmanager
async def chat_socket(secret: str) -> AsyncIterator[WebsocketCommunicator]:
    """An open socket of the key with this secret."""
    headers = [(b"authorization", f"Bearer {secret}".encode())]
    socket = WebsocketCommunicator(application_of(ChatConsumer), "/ws/chat/", headers)
    assert (await socket.connect(timeout=5))[0]
    yield socket
    await socket.disconnect()


@pytest.fixture
def operators_key(make_user: MakeUser) -> tuple[ApiKey, str]:
    return create_api_key(user=make_user("boss", OPERATORS), name="k", can_manage=True)


def demote(key: ApiKey) -> None:
    key.user.groups.set([Group.objects.get_or_create(name=MEMBERS)[0]])


def take_manage_scope(key: ApiKey) -> None:
    ApiKey.objects.filter(pk=key.pk).update(can_manage=False)


@pytest.mark.parametrize("change", [demote, take_manage_scope])
async def test_rights_that_were_taken_are_gone_on_an_open_socket(
    app: App, operators_key: tuple[ApiKey, str], change: Callable[[ApiKey], None]
) -> None:
    draft = {"type": "send", "app": "guide", "query": " ", "draft": True}
    async with chat_socket(operators_key[1]) as socket:
        await socket.send_json_to(draft)
        assert (await socket.receive_json_from(timeout=5))["code"] == "blank_query"
        await in_database(change, operators_key[0])
        await socket.send_json_to(draft)
        assert (await socket.receive_json_from(timeout=5))["code"] == "not_found"


def take_chat_scope(key: ApiKey) -> None:
    ApiKey.objects.filter(pk=key.pk).update(can_chat=False)


def suspend(key: ApiKey) -> None:
    User.objects.filter(pk=key.user_id).update(is_active=False)


@pytest.mark.parametrize(
    ("change", "close_code"), [(take_chat_scope, 4403), (suspend, 4401)], ids=["scope", "person"]
)
async def test_who_may_not_chat_any_more_is_closed_at_the_next_frame(
    app: App,
    operators_key: tuple[ApiKey, str],
    change: Callable[[ApiKey], None],
    close_code: int,
) -> None:
    async with chat_socket(operators_key[1]) as socket:
        await in_database(change, operators_key[0])
        await socket.send_json_to({"type": "send", "app": "guide", "query": "Hi"})
        assert (await socket.receive_json_from(timeout=5))["type"] == "error"
        closed = await socket.receive_output(timeout=5)
        assert (closed["type"], closed["code"]) == ("websocket.close", close_code)


async def test_the_tenth_bad_frame_of_a_minute_closes_the_socket(
    operators_key: tuple[ApiKey, str],
) -> None:
    async with chat_socket(operators_key[1]) as socket:
        for _ in range(10):
            await socket.send_json_to({"type": "launch"})
            assert (await socket.receive_json_from(timeout=5))["code"] == "bad_message"
        closed = await socket.receive_output(timeout=5)
        assert (closed["type"], closed["code"]) == ("websocket.close", 4400)


async def test_one_user_has_at_most_twenty_sockets(
    operators_key: tuple[ApiKey, str], make_user: MakeUser
) -> None:
    key, secret = operators_key
    _, second_secret = await in_database(lambda: create_api_key(user=key.user, name="k2"))
    _, of_another = await in_database(lambda: create_api_key(user=make_user("ann"), name="k"))
    async with AsyncExitStack() as opened:
        for _ in range(20):
            socket = await opened.enter_async_context(chat_socket(secret))
            await socket.send_json_to({"type": "ping"})
            assert await socket.receive_json_from(timeout=5) == {"type": "pong"}
        refused = await opened.enter_async_context(chat_socket(second_secret))
        assert (await refused.receive_json_from(timeout=5))["code"] == "too_many_sockets"
        assert (await refused.receive_output(timeout=5))["code"] == 4429
        other = await opened.enter_async_context(chat_socket(of_another))
        await other.send_json_to({"type": "ping"})
        assert await other.receive_json_from(timeout=5) == {"type": "pong"}
