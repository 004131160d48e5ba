"""Who reaches what, over every endpoint that the URL resolver knows."""

from collections.abc import Callable
from typing import Any

import pytest
from django.core import serializers
from django.db.models import Model
from django.utils import timezone
from rest_framework.test import APIClient

from apps.accounts.models import ApiKey
from apps.accounts.roles import BUILDERS
from apps.conversations.models import Conversation, Message
from apps.studio.models import App, AppConfig
from tests.api.conftest import Belongings, Program, client_with, program_of
from tests.api.url_map import Endpoint, each, routes

pytestmark = pytest.mark.urls("apps.api.urls")

PUBLIC = {"api/schema", "api/docs"}

# A body with which the owner of the things would succeed, so that a refusal is about the person. A question
# asks for a stream: where it is wrongly let in, the test fails at once instead of waiting for an answer.
BODIES: dict[str, dict[str, Any]] = {
    "PATCH api/v1/apps/<slug:slug>": {"name": "Mine now"},
    "PATCH api/v1/apps/<slug:slug>/draft": {"revision": 3, "preset_prompt": "Obey me."},
    "POST api/v1/apps/<slug:slug>/publish": {"revision": 3},
    "POST api/v1/apps/<slug:slug>/restore": {"revision": 3, "version": 1},
    "POST api/v1/apps/<slug:slug>/chat": {"query": "Hello?", "stream": True},
    "POST api/v1/messages/<uuid:message_id>/regenerate": {"stream": True},
    "PATCH api/v1/conversations/<uuid:conversation_id>": {"title": "Mine now"},
}

Persona = Callable[[Belongings, Callable[..., Program]], APIClient]


def a_stranger(_belongings: Belongings, make_person: Callable[..., Program]) -> APIClient:
    return make_person("eve", role=BUILDERS).client


def a_key_for_another_app(belongings: Belongings, _make: Callable[..., Program]) -> APIClient:
    scopes = {"can_chat": True, "can_manage": True, "all_apps": False}
    return program_of(belongings.owner.user, **scopes).client


def another_user_of_the_app(
    belongings: Belongings, make_person: Callable[..., Program]
) -> APIClient:
    App.objects.update(visibility=App.Visibility.SITE)
    return make_person("eve", role=BUILDERS).client


def everything() -> list[str]:
    """All rows that a stranger could try to touch, as text."""
    tables: tuple[type[Model], ...] = (App, AppConfig, Conversation, Message)
    return [serializers.serialize("json", table._base_manager.order_by("pk")) for table in tables]


def call(client: APIClient, endpoint: Endpoint, belongings: Belongings) -> Any:
    send = getattr(client, endpoint.method)
    return send(belongings.fill(endpoint.route), BODIES.get(str(endpoint), {}), format="json")


def test_only_the_listed_routes_are_public() -> None:
    assert {route for route, _view in routes() if not route.startswith("api/v1/")} == PUBLIC


@each()
def test_without_credentials_every_endpoint_answers_401(
    endpoint: Endpoint, belongings: Belongings
) -> None:
    before = everything()
    answer = call(APIClient(), endpoint, belongings)
    assert answer.status_code == 401
    assert answer.json()["code"] == "not_authenticated"
    assert "Authorization: Bearer" in answer.json()["message"]
    assert answer["WWW-Authenticate"] == "Bearer"
    assert everything() == before


@pytest.mark.parametrize("persona", [a_stranger, a_key_for_another_app], ids=lambda p: p.__name__)
@each(lambda e: e.names_an_object and not e.is_site_asset)
def test_what_is_not_yours_is_not_found(
    endpoint: Endpoint,
    persona: Persona,
    belongings: Belongings,
    make_person: Callable[..., Program],
) -> None:
    client = persona(belongings, make_person)
    before = everything()
    answer = call(client, endpoint, belongings)
    assert answer.status_code == 404, answer.content
    assert answer.json()["code"] == "not_found"
    assert everything() == before


# A visible App may be looked at and chatted with; everything else of it stays its editors'.
FOR_ALL_WHO_SEE_THE_APP = {
    "GET api/v1/apps/<slug:slug>",
    "GET api/v1/apps/<slug:slug>/conversations",
    "POST api/v1/apps/<slug:slug>/conversations",
    "POST api/v1/apps/<slug:slug>/chat",
}


@each(lambda e: e.names_an_object and not e.is_site_asset and str(e) not in FOR_ALL_WHO_SEE_THE_APP)
def test_seeing_an_app_opens_neither_its_draft_nor_other_peoples_conversations(
    endpoint: Endpoint, belongings: Belongings, make_person: Callable[..., Program]
) -> None:
    client = another_user_of_the_app(belongings, make_person)
    before = everything()
    answer = call(client, endpoint, belongings)
    assert answer.status_code == 404, answer.content
    assert everything() == before


@each(lambda e: e.is_site_asset and e.method != "get")
@pytest.mark.parametrize("person", ["builder", "member"])
def test_only_operators_change_the_sites_assets(
    endpoint: Endpoint, person: str, belongings: Belongings, request: pytest.FixtureRequest
) -> None:
    program: Program = request.getfixturevalue(person)
    answer = call(program.client, endpoint, belongings)
    assert (answer.status_code, answer.json()["code"]) == (403, "role_missing")


@each()
def test_a_key_without_any_scope_opens_nothing(endpoint: Endpoint, belongings: Belongings) -> None:
    program = program_of(belongings.owner.user, can_chat=False)
    answer = call(program.client, endpoint, belongings)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


@each(lambda e: e.is_site_asset or e.route.endswith(("/draft", "/publish")))
def test_a_key_for_chat_configures_nothing(endpoint: Endpoint, belongings: Belongings) -> None:
    program = program_of(belongings.owner.user, can_chat=True)
    answer = call(program.client, endpoint, belongings)
    assert (answer.status_code, answer.json()["code"]) == (403, "scope_missing")


@pytest.mark.parametrize("state", ["revoked", "expired", "suspended", "unknown"])
def test_a_key_that_no_longer_counts_is_refused(state: str, builder: Program) -> None:
    match state:
        case "revoked":
            ApiKey.objects.update(revoked_at=timezone.now())
        case "expired":
            ApiKey.objects.update(expires_at=timezone.now())
        case "suspended":
            builder.user.is_active = False
            builder.user.save()
    client = client_with("qt_nobody_has_this_key") if state == "unknown" else builder.client
    answer = client.get("/api/v1/apps")
    assert (answer.status_code, answer.json()["code"]) == (401, "invalid_api_key")


@pytest.mark.django_db(transaction=True)
def test_another_persons_conversation_in_the_body_is_not_found(
    belongings: Belongings, make_person: Callable[..., Program]
) -> None:
    client = another_user_of_the_app(belongings, make_person)
    theirs = str(belongings.conversation.pk)
    body = {"query": "Go on.", "conversation_id": theirs, "stream": True}
    answer = client.post("/api/v1/apps/clerk/chat", body, format="json")
    assert answer.status_code == 404
    assert Message.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_a_member_chats_but_never_with_a_draft(belongings: Belongings, member: Program) -> None:
    App.objects.update(visibility=App.Visibility.SITE)
    body = {"query": "Hello?", "draft": True, "stream": True}
    answer = member.client.post("/api/v1/apps/clerk/chat", body, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "draft_refused")


def test_a_session_writes_only_with_the_csrf_token(builder: Program) -> None:
    client = APIClient(enforce_csrf_checks=True)
    client.force_login(builder.user)
    answer = client.post("/api/v1/apps", {"slug": "a", "name": "A"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (403, "permission_denied")
    assert client.get("/api/v1/apps").status_code == 200


def test_a_large_body_without_credentials_is_refused_unread(db: None) -> None:
    body = b"x" * 5_000_000
    answer = APIClient().post(
        "/api/v1/apps", body, content_type="multipart/form-data; boundary=frontier"
    )
    assert answer.status_code == 401
