"""People with their programs, and one of everything that belongs to somebody."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from django.contrib.auth.models import Group
from rest_framework.test import APIClient

from apps.accounts.api_keys import create_api_key
from apps.accounts.callers import caller_for_api_key
from apps.accounts.models import ApiKey, Caller, User
from apps.accounts.roles import BUILDERS, MEMBERS, OPERATORS
from apps.conversations.models import Conversation, Entry, Message, MessageAgentThought
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.drafts import change_draft, create_app
from apps.studio.models import App
from apps.studio.publishing import publish

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
        user = User.objects.create_user(name, password="correct horse")
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
