"""An App and its draft on one page."""

import json
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.test import Client
from django.urls import reverse

from apps.accounts.models import ApiKey, User
from apps.studio.drafts import change_draft, draft_of
from apps.studio.models import App, AppConfig
from apps.studio.schema import dump_config
from apps.toolbox.models import Tool
from tests.admin.conftest import Enter, app_form, app_page, list_form
from tests.studio.conftest import FULL


def test_a_new_app_gets_its_owner_its_draft_and_its_page(operator: Client) -> None:
    answer = operator.post(
        reverse("admin:studio_app_add"),
        {"name": "Desk", "slug": "desk", "icon": "", "description": "", "visibility": "site"},
    )

    app = App.objects.get(slug="desk")
    assert answer["Location"] == app_page(app)
    assert app.owner.username == "operators"
    assert draft_of(app).revision == 1


def test_saving_an_untouched_page_changes_nothing(operator: Client, full_app: App) -> None:
    AppConfig.objects.filter(app=full_app).update(preset_prompt="a\nb")
    posted = app_form(full_app, **{"configs-0-preset_prompt": "a\r\nb"})

    answer = operator.post(app_page(full_app), posted)

    assert answer.status_code == 302, answer.context["errors"]
    assert dump_config(draft_of(full_app)) == FULL | {"preset_prompt": "a\nb"}
    assert draft_of(full_app).revision == 2


@pytest.mark.parametrize(
    ("posted", "field", "stored"),
    [
        ({"configs-0-preset_prompt": "a\r\nb"}, "preset_prompt", "a\nb"),
        ({"configs-0-temperature": ""}, "temperature", None),
        ({"configs-0-model": ""}, "model", None),
        ({"configs-0-parameters": '{"seed": 8}'}, "parameters", {"seed": 8}),
        (list_form("opening_questions", []), "opening_questions", []),
        (list_form("opening_questions", [{"text": "Why?"}]), "opening_questions", ["Why?"]),
        (
            list_form("opening_questions", [{"text": "b", "position": 1}, {"text": "a", "position": 0}]),
            "opening_questions",
            ["a", "b"],
        ),
        (
            list_form("opening_questions", [{"text": "old"}, {"text": "new", "position": ""}]),
            "opening_questions",
            ["old", "new"],
        ),
        (
            list_form("opening_questions", [{"text": "a", "DELETE": "on"}, {"text": "b"}]),
            "opening_questions",
            ["b"],
        ),
        (
            list_form("review_keywords", [{"keyword": "x", "direction": "output"}]),
            "review_keywords",
            [{"direction": "output", "keyword": "x"}],
        ),
    ],
    ids=[
        "line ends", "empty number", "no model", "json", "emptied list", "shorter list",
        "dragged", "added last", "deleted row", "keyword",
    ],
)  # fmt: skip
def test_a_change_on_the_page_is_stored_and_nothing_else(
    operator: Client, full_app: App, posted: dict[str, Any], field: str, stored: Any
) -> None:
    answer = operator.post(app_page(full_app), app_form(full_app, **posted))

    assert answer.status_code == 302
    assert dump_config(draft_of(full_app)) == FULL | {field: stored}
    assert draft_of(full_app).revision == 3


def test_tools_are_stored_in_the_order_of_the_page(operator: Client, full_app: App) -> None:
    ids = {tool.name: tool.pk for tool in Tool.objects.all()}
    rows = [{"tool": ids["adder"], "position": 2}, {"tool": ids["search"], "position": 1}]

    operator.post(app_page(full_app), app_form(full_app, **list_form("tool_choices", rows)))

    assert dump_config(draft_of(full_app))["tools"] == ["search", "adder"]


def test_a_tool_that_is_listed_twice_is_refused_on_the_page(
    operator: Client, full_app: App
) -> None:
    clock = Tool.objects.get(name="clock").pk
    posted = list_form("tool_choices", [{"tool": clock}, {"tool": clock}])

    answer = operator.post(app_page(full_app), app_form(full_app, **posted))

    assert answer.status_code == 200
    assert "duplicate" in answer.text
    assert dump_config(draft_of(full_app)) == FULL


@pytest.mark.parametrize(
    "posted",
    [
        {"configs-0-temperature": "3"},
        {"configs-0-parameters": '{"stream": true}'},
        list_form("review_keywords", [{"keyword": "  ", "direction": "input"}]),
        {"slug": "no spaces"},
    ],
    ids=["temperature", "parameters", "blank keyword", "slug"],
)
def test_a_wrong_value_is_shown_and_nothing_is_stored(
    operator: Client, full_app: App, posted: dict[str, Any]
) -> None:
    answer = operator.post(app_page(full_app), app_form(full_app, **{"name": "New name", **posted}))

    assert answer.status_code == 200
    assert "Please correct" in answer.text
    full_app.refresh_from_db()
    assert full_app.name == "Travel desk"
    assert dump_config(draft_of(full_app)) == FULL


def test_a_stale_save_says_so_keeps_the_edits_and_changes_nothing(
    operator: Client, full_app: App
) -> None:
    stale = app_form(full_app, **{"name": "Mine", "configs-0-preset_prompt": "My edit"})
    change_draft(full_app, revision=2, changes={"tools": [], "preset_prompt": "Theirs"})

    answer = operator.post(app_page(full_app), stale)

    assert answer.status_code == 200
    assert "You started from revision 2, the draft is at revision 3" in answer.text
    assert "My edit" in answer.text
    full_app.refresh_from_db()
    assert full_app.name == "Travel desk"
    assert draft_of(full_app).preset_prompt == "Theirs"
    assert draft_of(full_app).revision == 3


def test_a_stale_draft_does_not_hinder_a_change_beside_it(operator: Client, full_app: App) -> None:
    seen = app_form(full_app, name="Mine")
    origin = operator.get(app_page(full_app)).text.split('name="configs-0-origin" value="')[1]
    change_draft(full_app, revision=2, changes={"tools": [], "preset_prompt": "Theirs"})

    answer = operator.post(app_page(full_app), seen)

    assert origin.startswith(seen["configs-0-origin"])
    assert answer.status_code == 302
    full_app.refresh_from_db()
    assert full_app.name == "Mine"
    assert dump_config(draft_of(full_app)) == FULL | {"tools": [], "preset_prompt": "Theirs"}
    assert draft_of(full_app).revision == 3


@pytest.mark.parametrize(("icon", "is_taken"), [("🧭", True), ("Travel", False), ("x" * 9, False)])
def test_an_icon_is_an_emoji_or_two_letters(
    operator: Client, full_app: App, icon: str, is_taken: bool
) -> None:
    answer = operator.post(app_page(full_app), app_form(full_app, icon=icon))

    full_app.refresh_from_db()
    assert (full_app.icon == icon) == is_taken
    assert ("Use one emoji, or one or two letters." in answer.text) != is_taken


def test_the_history_names_what_was_touched(operator: Client, full_app: App) -> None:
    operator.post(
        app_page(full_app), app_form(full_app, **{"name": "New", "configs-0-dialog_round": 9})
    )

    (change,) = json.loads(LogEntry.objects.get().change_message)
    assert change["changed"]["fields"] == ["name", "dialog_round"]


def test_editors_and_keys_are_stored(operator: Client, full_app: App) -> None:
    bea = User.objects.create_user("bea")
    key = ApiKey.objects.create(user=bea, name="CI", prefix="p", digest="d", all_apps=False)

    operator.post(app_page(full_app), app_form(full_app, editors=[bea.pk], api_keys=[key.pk]))

    assert list(full_app.editors.all()) == [bea]
    assert list(full_app.api_keys.all()) == [key]


def test_a_builder_keeps_the_owner_and_the_keys_of_others(enter: Enter, full_app: App) -> None:
    builder = enter("builders")
    bea = User.objects.get(username="builders")
    full_app.editors.add(bea)
    foreign = ApiKey.objects.create(
        user=full_app.owner, name="theirs", prefix="p", digest="1", all_apps=False
    )
    full_app.api_keys.add(foreign)
    unnamed = ApiKey.objects.create(
        user=full_app.owner, name="unnamed", prefix="p", digest="2", all_apps=False
    )

    kept = builder.post(app_page(full_app), app_form(full_app, owner=bea.pk))
    refused = builder.post(app_page(full_app), app_form(full_app, api_keys=[unnamed.pk]))

    assert (kept.status_code, refused.status_code) == (302, 200)
    full_app.refresh_from_db()
    assert full_app.owner.username == "olga"
    assert list(full_app.api_keys.all()) == [foreign]
