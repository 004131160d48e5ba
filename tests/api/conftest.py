"""People with their programs, and one of everything that belongs to somebody."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.contrib.auth.models import Group
from django.db import connections
from django.test import AsyncClient
from rest_framework.test import APIClient

from agents.models.sessions import close_sessions
from apps.accounts.api_keys import create_api_key
from apps.accounts.callers import caller_for_api_key
from apps.accounts.models import ApiKey, Caller, User
from apps.accounts.roles import BUILDERS, MEMBERS, OPERATORS
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.providers.models import LanguageModel, ModelProvider
from apps.runs.execution import execute
from apps.runs.home import RunHome, install_home
from apps.studio.drafts import change_draft, create_app
from apps.studio.models import App
from apps.studio.publishing import publish
from tests.fakes.upstream import UpstreamServer

ALL_SCOPES = {"can_chat": True, "can_manage": True, "can_read_usage": True}


@dataclass(frozen=True, kw_only=True)
class Program:
    """A person's program, and its client."""

    user: User
    key: ApiKey
    secret: str
    client: APIClient

    @property
    def caller(self) -> Caller:
        return caller_for_api_key(self.key)


@dataclass(frozen=True, kw_only=True)
class Belongings:
    """One of everything; the App and what was said in it are the owner's."""

    owner: Program
    provider: ModelProvider
    model: LanguageModel
    app: App
    conversation: Conversation
    message: Message

    def fill(self, route: str) -> str:
        """The route's path with the ids of these things. A parameter unknown here is an error."""
        values = {
            "<slug:slug>": self.app.slug,
            "<int:version>": "1",
            "<uuid:conversation_id>": str(self.conversation.pk),
            "<uuid:message_id>": str(self.message.pk),
            "<uuid:task_id>": str(self.message.task_id),
            "model-providers/<int:pk>": f"model-providers/{self.provider.pk}",
            "language-models/<int:pk>": f"language-models/{self.model.pk}",
            "<str:name>": "current_time",
        }
        for parameter, value in values.items():
            route = route.replace(parameter, value)
        assert "<" not in route, f"tell Belongings.fill what stands for the parameters of {route}"
        return f"/{route}"


def client_with(secret: str) -> APIClient:
    return APIClient(headers={"Authorization": f"Bearer {secret}"})


def program_of(user: User, **scopes: bool) -> Program:
    key, secret = create_api_key(user=user, name=f"of {user}")
    for scope, is_given in (scopes or ALL_SCOPES).items():
        setattr(key, scope, is_given)
    key.save()
    return Program(user=user, key=key, secret=secret, client=client_with(secret))


@pytest.fixture
def make_person(db: None) -> Callable[..., Program]:
    """`make_person("ann", role=BUILDERS)` with a key of all scopes."""

    def make(name: str, *, role: str = MEMBERS, **scopes: bool) -> Program:
        user = User.objects.create_user(name)
        user.groups.add(Group.objects.get_or_create(name=role)[0])
        return program_of(user, **scopes)

    return make


@pytest.fixture
def operator(make_person: Callable[..., Program]) -> Program:
    return make_person("olga", role=OPERATORS)


@pytest.fixture
def builder(make_person: Callable[..., Program]) -> Program:
    return make_person("bela", role=BUILDERS)


@pytest.fixture
def member(make_person: Callable[..., Program]) -> Program:
    return make_person("mia", role=MEMBERS)


@pytest.fixture
def model(db: None) -> LanguageModel:
    provider = ModelProvider.objects.create(
        name="local", base_url="http://127.0.0.1:9/v1", secret="canary-secret-of-the-provider"
    )
    return LanguageModel.objects.create(provider=provider, name="small")


def published_app(owner: User, model: LanguageModel, slug: str, **fields: Any) -> App:
    app = create_app(owner=owner, slug=slug, name=slug.title(), **fields)
    change_draft(app, revision=1, changes={"model": f"{model.provider.name}/{model.name}"})
    publish(app, revision=2, user=owner)
    app.refresh_from_db()
    return app


def finished_turn(program: Program, app: App, conversation: Conversation | None = None) -> Message:
    """A turn that ended, with one step."""
    conversation = conversation or Conversation.objects.create(
        app=app, caller=program.caller, entry=Entry.API
    )
    message = Message.objects.create(
        conversation=conversation,
        caller=program.caller,
        entry=Entry.API,
        app_config=app.published_config,
        query="How late is it?",
        answer="Late.",
        status="normal",
        finish_reason="stop",
        last_seq=4,
        input_tokens=10,
        output_tokens=2,
    )
    MessageAgentThought.objects.create(
        message=message,
        position=1,
        event="agent_message",
        event_id="message-1",
        answer="Late.",
        last_seq=3,
    )
    return message


@pytest.fixture
def belongings(builder: Program, model: LanguageModel) -> Belongings:
    app = published_app(builder.user, model, "clerk")
    message = finished_turn(builder, app)
    return Belongings(
        owner=builder,
        provider=model.provider,
        model=model,
        app=app,
        conversation=message.conversation,
        message=message,
    )


@pytest.fixture
async def home(transactional_db: None) -> AsyncIterator[RunHome]:
    """Runs execute on the test's own loop."""
    home = RunHome(execute)
    install_home(home)
    home.bind(asyncio.get_running_loop())
    yield home
    await home.drain(0)
    await close_sessions()
    await sync_to_async(connections.close_all)()  # of the thread in which Django runs sync views


class AsyncProgram:
    """A program that talks to the site over ASGI, on the loop of the test; without a secret, as a browser."""

    def __init__(self, secret: str | None = None) -> None:
        self._client = AsyncClient()
        self._headers = {"Authorization": f"Bearer {secret}"} if secret else {}

    async def log_in(self, user: User) -> None:
        await self._client.aforce_login(user)

    async def get(self, path: str, **headers: str) -> Any:
        return await self._client.get(f"/api/v1/{path}", headers={**self._headers, **headers})

    async def post(self, path: str, body: Any = None, **headers: str) -> Any:
        return await self._send("POST", path, body, headers)

    async def patch(self, path: str, body: Any) -> Any:
        return await self._send("PATCH", path, body, {})

    async def _send(self, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        return await self._client.generic(
            method,
            f"/api/v1/{path}",
            json.dumps({} if body is None else body),
            content_type="application/json",
            headers={**self._headers, **headers},
        )


@dataclass(frozen=True, kw_only=True)
class Frame:
    """One frame of an event stream."""

    id: str
    event: str
    data: dict[str, Any]


async def read_frames(answer: Any) -> AsyncGenerator[Frame, None]:
    """The frames of a streaming answer, as they come; pings are passed over."""
    async for text in answer.streaming_content:
        frame = text.decode()
        assert frame.endswith("\n\n")
        if frame.startswith(":"):
            continue
        names = [line.partition(": ")[::2] for line in frame[:-2].split("\n")]
        assert [name for name, _value in names] == ["id", "event", "data"]
        fields = dict(names)
        yield Frame(id=fields["id"], event=fields["event"], data=json.loads(fields["data"]))


def script_app(upstream: UpstreamServer, owner: User, slug: str = "clerk", **changes: Any) -> App:
    """A published App on the scripted model service, with the calculator."""
    provider = ModelProvider.objects.create(name=f"for-{slug}", base_url=upstream.url)
    model = LanguageModel.objects.create(provider=provider, name="fake-model")
    model.prices.create(input_price=2, output_price=8)
    app = create_app(owner=owner, slug=slug, name=slug.title())
    content = {"model": f"for-{slug}/fake-model", "tools": ["calculator"], **changes}
    change_draft(app, revision=1, changes=content)
    publish(app, revision=2, user=owner)
    return app
