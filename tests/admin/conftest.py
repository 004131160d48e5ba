"""People of each role at the admin, and forms filled as the browser fills them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.accounts.roles import BUILDERS, MEMBERS, OPERATORS
from apps.studio.drafts import draft_of
from apps.studio.models import App, AppConfig
from apps.studio.schema import COLUMNS, content_hash, dump_config
from tests.studio.conftest import *  # noqa: F403  # the same App, seen from the admin

Enter = Callable[[str], Client]


@pytest.fixture
def enter(db: None) -> Enter:
    """A browser in which a person of this role has logged in; they are called by their role."""

    def enter_as(role: str) -> Client:
        person, is_new = User.objects.get_or_create(username=role)
        if is_new and role in {OPERATORS, BUILDERS, MEMBERS}:
            person.groups.add(Group.objects.get_or_create(name=role)[0])
        client = Client()
        client.force_login(person, backend="apps.accounts.roles.RoleBackend")
        return client

    return enter_as


@pytest.fixture
def operator(enter: Enter) -> Client:
    return enter(OPERATORS)


def origin_of(draft: AppConfig) -> str:
    """The fingerprint that the page carries along."""
    columns = {name: draft.serializable_value(name) for name in COLUMNS}
    rows = {
        name: value
        for name, value in dump_config(draft).items()
        if name in {"tools", "opening_questions", "review_keywords"}
    }
    return content_hash(columns | rows)


def app_page(app: App) -> str:
    return reverse("admin:studio_app_change", args=[app.pk])


def app_form(app: App, **changed: Any) -> dict[str, Any]:
    """What the App's page posts when nothing was touched, with `changed` on top."""
    draft = draft_of(app)
    form: dict[str, Any] = {
        "name": app.name,
        "slug": app.slug,
        "icon": app.icon,
        "description": app.description,
        "visibility": app.visibility,
        "owner": app.owner_id,
        "editors": [editor.pk for editor in app.editors.all()],
        "api_keys": [key.pk for key in app.api_keys.all()],
        **management_form("configs", 1),
        "configs-0-id": draft.pk,
        "configs-0-app": app.pk,
        "configs-0-revision": draft.revision,
        "configs-0-origin": origin_of(draft),
    }
    for column in COLUMNS:
        value = draft.serializable_value(column)
        if isinstance(value, dict):
            form[f"configs-0-{column}"] = form[f"initial-configs-0-{column}"] = json.dumps(value)
        elif value is not None and value is not False:
            form[f"configs-0-{column}"] = value
    rows: dict[str, list[dict[str, Any]]] = {
        "tool_choices": [{"tool": row.tool_id} for row in draft.tool_choices.all()],
        "opening_questions": [{"text": row.text} for row in draft.opening_questions.all()],
        "review_keywords": [
            {"keyword": row.keyword, "direction": row.direction}
            for row in draft.review_keywords.all()
        ],
    }
    for relation, values in rows.items():
        form |= list_form(relation, values)
    return form | changed


def list_form(relation: str, rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The part of the form that holds an ordered list; `position` may be left out or given per row."""
    prefix = f"configs-0-{relation}"
    form = management_form(prefix, len(rows))
    for index, row in enumerate(rows):
        for name, value in {"position": index, **row}.items():
            form[f"{prefix}-{index}-{name}"] = value
    return form


def management_form(prefix: str, count: int) -> dict[str, Any]:
    return {
        f"{prefix}-TOTAL_FORMS": count,
        f"{prefix}-INITIAL_FORMS": count,
        f"{prefix}-MIN_NUM_FORMS": 0,
        f"{prefix}-MAX_NUM_FORMS": 1000,
    }
