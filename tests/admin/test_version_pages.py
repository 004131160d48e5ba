"""Publish, restore, enable and disable: shown first, done on POST."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.studio.availability import disable_app
from apps.studio.drafts import change_draft, draft_of
from apps.studio.models import App
from apps.studio.publishing import publish


def page(app: App, name: str, *args: int) -> str:
    return reverse(f"admin:studio_app_{name}", args=[app.pk, *args])


def test_publishing_shows_the_changes_and_publishes_what_was_shown(
    operator: Client, full_app: App, owner: User
) -> None:
    publish(full_app, revision=2, user=owner)
    change_draft(full_app, revision=3, changes={"preset_prompt": "You book trains.\nBe kind."})

    shown = operator.get(page(full_app, "publish"))
    answer = operator.post(page(full_app, "publish"), {"revision": 4, "note": "Kinder"})

    assert "<del>Be brief.</del>" in shown.text
    assert "<ins>Be kind.</ins>" in shown.text
    assert answer.status_code == 302
    full_app.refresh_from_db()
    assert full_app.published_config is not None
    assert full_app.published_config.note == "Kinder"
    assert full_app.published_config.published_by.username == "operators"  # type: ignore[union-attr]


def test_a_prompt_with_markup_is_shown_as_text(
    operator: Client, full_app: App, owner: User
) -> None:
    change_draft(full_app, revision=2, changes={"preset_prompt": "<script>alert(1)</script>\nx"})

    assert "<script>alert(1)" not in operator.get(page(full_app, "publish")).text


def test_publishing_a_stale_revision_says_so_and_does_nothing(
    operator: Client, full_app: App
) -> None:
    answer = operator.post(page(full_app, "publish"), {"revision": 1})

    assert answer.status_code == 200
    assert "The draft is at revision 2" in answer.text
    full_app.refresh_from_db()
    assert full_app.published_config is None


def test_what_keeps_a_draft_from_being_published_is_listed(operator: Client, app: App) -> None:
    shown = operator.get(page(app, "publish"))
    answer = operator.post(page(app, "publish"), {"revision": 1})

    assert "Choose a model." in shown.text
    assert answer.status_code == 200
    assert draft_of(app).revision == 1


def test_restoring_shows_the_changes_and_restores(
    operator: Client, full_app: App, owner: User
) -> None:
    publish(full_app, revision=2, user=owner)
    change_draft(full_app, revision=3, changes={"dialog_round": 9})

    shown = operator.get(page(full_app, "restore", 1))
    answer = operator.post(page(full_app, "restore", 1), {"revision": 4})

    assert "<del>9</del>" in shown.text
    assert answer.status_code == 302
    assert draft_of(full_app).dialog_round == 4


def test_an_unknown_version_is_not_found(operator: Client, full_app: App) -> None:
    assert operator.get(page(full_app, "restore", 7)).status_code == 404


def test_an_app_is_disabled_and_enabled_again(operator: Client, full_app: App, owner: User) -> None:
    publish(full_app, revision=2, user=owner)

    statuses = []
    for _press in range(2):
        operator.post(page(full_app, "switch_availability"))
        full_app.refresh_from_db()
        statuses.append(full_app.status)

    assert statuses == ["disabled", "published"]


@pytest.mark.parametrize("name", ["publish", "switch_availability"])
def test_a_get_changes_nothing(operator: Client, full_app: App, name: str) -> None:
    assert operator.get(page(full_app, name)).status_code == 200

    full_app.refresh_from_db()
    assert full_app.status == "draft"


@pytest.mark.parametrize(("action", "target"), [("debug", "debugger"), ("open_chat", "chat")])
def test_the_header_leads_to_the_pages_people_talk_on(
    operator: Client, full_app: App, action: str, target: str
) -> None:
    answer = operator.get(page(full_app, action))

    assert answer["Location"] == reverse(target, args=["travel"])


def test_publishing_a_disabled_app_says_that_it_is_still_disabled(
    operator: Client, full_app: App, owner: User
) -> None:
    disable_app(full_app, user=owner)

    answer = operator.post(page(full_app, "publish"), {"revision": 2}, follow=True)

    assert "is still disabled" in answer.text
    full_app.refresh_from_db()
    assert full_app.status == "disabled"
