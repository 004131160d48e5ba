"""Every page of the admin stays under 15 statements, whatever the number of rows."""

import uuid
from collections.abc import Callable

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.accounts.callers import caller_for_user
from apps.accounts.models import ApiKey, User
from apps.conversations.models import Conversation, Message, MessageAgentThought, PromptText
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.studio.drafts import change_draft, create_app, draft_of
from apps.studio.models import App
from apps.studio.publishing import publish
from apps.toolbox.models import Tool
from apps.usage.models import ModelCall

LIMIT = 15


def fill(rows: int) -> App:
    """`rows` of everything that a page of the admin lists; the App uses all of it."""
    apps = [_add_row(number) for number in range(rows)]
    names = list(Tool.objects.values_list("name", flat=True))
    app = apps[0]
    change_draft(
        app,
        revision=draft_of(app).revision,
        changes={
            "tools": names[:30],
            "auxiliary_model": "provider 1/m",
            "opening_questions": [f"{number}?" for number in range(min(rows, 20))],
            "review_keywords": [{"keyword": f"word {number}"} for number in range(rows)],
            "review_input_response": "No.",
        },
    )
    for _number in range(rows):
        publish(app, revision=draft_of(app).revision, user=app.owner)
    return app


def _add_row(number: int) -> App:
    user = User.objects.create_user(f"person {number}")
    key = ApiKey.objects.create(
        user=user, name="k", prefix="qt", digest=str(number), all_apps=False
    )
    provider = ModelProvider.objects.create(name=f"provider {number}")
    model = LanguageModel.objects.create(provider=provider, name="m")
    first = ModelProvider.objects.order_by("pk")[0]
    LanguageModel.objects.create(provider=first, name=f"further {number}")
    ModelPrice.objects.create(model=first.models.order_by("pk")[0], input_price=1, output_price=2)
    Tool.objects.create(name=f"tool_{number}", source="builtin", risk="safe", description="d")
    app = create_app(owner=user, slug=f"app-{number}", name=f"App {number}")
    change_draft(app, revision=1, changes={"model": f"provider {number}/m"})
    publish(app, revision=2, user=user)
    first_app = App.objects.order_by("pk")[0]
    first_app.editors.add(user)
    first_app.api_keys.add(key)
    _add_conversation(app, user, model)
    return app


def _add_conversation(app: App, user: User, model: LanguageModel) -> None:
    caller = caller_for_user(user)
    conversation = Conversation.objects.create(app=app, caller=caller, entry="web")
    first = Conversation.objects.order_by("created_at")[0]
    prompt = PromptText.objects.create(digest=uuid.uuid4().hex, text="Be brief.")
    for thread in {conversation, first}:
        turn = Message.objects.create(
            conversation=thread,
            caller=caller,
            app_config=app.published_config,
            entry="web",
            query="?",
            status="normal",
        )
        MessageAgentThought.objects.create(
            message=turn, position=1, event="agent_message", event_id="e", system_prompt=prompt
        )
    ModelCall.objects.create(
        purpose="answer",
        app=app,
        caller=caller,
        model=model,
        model_name=str(model),
        confidence="exact",
        currency="USD",
        latency=1,
        status="ok",
    )


def _list(name: str) -> Callable[[App], str]:
    return lambda _app: reverse(f"admin:{name}_changelist")


def _first(name: str, model: type) -> Callable[[App], str]:
    return lambda _app: reverse(
        f"admin:{name}_change",
        args=[model.objects.order_by("pk")[0].pk],  # type: ignore[attr-defined]
    )


PAGES: dict[str, Callable[[App], str]] = {
    "home": lambda _app: reverse("admin:index"),
    "apps": _list("studio_app"),
    "new app": lambda _app: reverse("admin:studio_app_add"),
    "app": lambda app: reverse("admin:studio_app_change", args=[app.pk]),
    "publish": lambda app: reverse("admin:studio_app_publish", args=[app.pk]),
    "restore": lambda app: reverse("admin:studio_app_restore", args=[app.pk, 1]),
    "availability": lambda app: reverse("admin:studio_app_switch_availability", args=[app.pk]),
    "history of an app": lambda app: reverse("admin:studio_app_history", args=[app.pk]),
    "providers": _list("providers_modelprovider"),
    "provider": _first("providers_modelprovider", ModelProvider),
    "models": _list("providers_languagemodel"),
    "model": _first("providers_languagemodel", LanguageModel),
    "tools": _list("toolbox_tool"),
    "tool": _first("toolbox_tool", Tool),
    "conversations": _list("conversations_conversation"),
    "conversation": lambda _app: reverse(
        "admin:conversations_conversation_change",
        args=[Conversation.objects.order_by("created_at")[0].pk],
    ),
    "model calls": _list("usage_modelcall"),
    "model call": _first("usage_modelcall", ModelCall),
    "users": _list("accounts_user"),
    "user": _first("accounts_user", User),
    "groups": _list("auth_group"),
    "keys": _list("accounts_apikey"),
    "key": _first("accounts_apikey", ApiKey),
}


def count_statements(client: Client, address: str) -> int:
    with CaptureQueriesContext(connection) as statements:
        answer = client.get(address)
        assert answer.status_code == 200
    return len(statements)


def count_all(client: Client, app: App) -> dict[str, int]:
    return {name: count_statements(client, address(app)) for name, address in PAGES.items()}


@pytest.mark.parametrize("rows", [3, 30])
def test_no_page_reaches_the_limit(operator: Client, rows: int) -> None:
    counts = count_all(operator, fill(rows))

    assert {name: count for name, count in counts.items() if count >= LIMIT} == {}
