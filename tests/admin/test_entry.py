"""Who gets into the admin, what they see there, and under which policy."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from apps.accounts.models import User
from apps.studio.drafts import create_app
from apps.studio.models import App
from tests.admin.conftest import Enter, app_page

LISTS = [
    "studio_app", "providers_modelprovider", "providers_languagemodel", "toolbox_tool",
    "conversations_conversation", "usage_modelcall", "accounts_user", "auth_group", "accounts_apikey",
]  # fmt: skip
BUILDERS_READ = LISTS[:6]


@pytest.mark.parametrize("name", LISTS)
def test_operators_see_every_list(operator: Client, name: str) -> None:
    assert operator.get(reverse(f"admin:{name}_changelist")).status_code == 200


@pytest.mark.parametrize("name", LISTS)
def test_builders_see_what_apps_are_made_of_and_no_people(enter: Enter, name: str) -> None:
    answer = enter("builders").get(reverse(f"admin:{name}_changelist"))

    assert answer.status_code == (200 if name in BUILDERS_READ else 403)


@pytest.mark.parametrize("name", LISTS)
def test_members_are_sent_to_the_login(enter: Enter, name: str) -> None:
    answer = enter("members").get(reverse(f"admin:{name}_changelist"))

    assert answer.status_code == 302
    assert answer["Location"].startswith(reverse("admin:login"))


@pytest.mark.parametrize("name", ["providers_modelprovider_add", "providers_languagemodel_add"])
def test_builders_add_no_assets(enter: Enter, name: str) -> None:
    assert enter("builders").get(reverse(f"admin:{name}")).status_code == 403


def _login(username: str) -> str:
    User.objects.filter(username=username).first() or User.objects.create_user(username)
    person = User.objects.get(username=username)
    person.set_password("a-long-password")
    person.save()
    answer = Client().post(
        reverse("admin:login"), {"username": username, "password": "a-long-password"}
    )
    return "in" if answer.status_code == 302 else answer.text


def test_the_login_lets_roles_in_and_tells_members_where_to_go(enter: Enter) -> None:
    for role in ("operators", "builders", "members"):
        enter(role)

    assert _login("operators") == "in"
    assert _login("builders") == "in"
    assert "Chat with Apps on the start page" in _login("members")


def test_a_suspended_operator_is_out_at_once(operator: Client) -> None:
    User.objects.filter(username="operators").update(is_active=False)

    assert operator.get(reverse("admin:index")).status_code == 302


def test_builders_see_their_own_and_shared_apps_only(enter: Enter, app: App) -> None:
    builder = enter("builders")
    bea = User.objects.get(username="builders")
    create_app(owner=bea, slug="mine", name="My own")
    shared = create_app(owner=app.owner, slug="shared", name="Shared one")
    shared.editors.add(bea)

    listed = builder.get(reverse("admin:studio_app_changelist")).text

    assert "My own" in listed
    assert "Shared one" in listed
    assert "Travel desk" not in listed


PAGES: list[Callable[[App], str]] = [
    app_page,
    lambda app: reverse("admin:studio_app_publish", args=[app.pk]),
    lambda app: reverse("admin:studio_app_restore", args=[app.pk, 1]),
    lambda app: reverse("admin:studio_app_switch_availability", args=[app.pk]),
    lambda app: reverse("admin:studio_app_debug", args=[app.pk]),
    lambda app: reverse("admin:studio_app_delete", args=[app.pk]),
    lambda app: reverse("admin:studio_app_history", args=[app.pk]),
]


@pytest.mark.parametrize("method", ["get", "post"])
@pytest.mark.parametrize("page", PAGES)
def test_a_foreign_app_is_not_there_for_a_builder(
    enter: Enter, full_app: App, page: Callable[[App], str], method: str
) -> None:
    answer = getattr(enter("builders"), method)(page(full_app), {"revision": 2})

    # Django answers an unknown object's own pages with a redirect to the admin's start.
    gone = answer.status_code == 404 or answer.get("Location") == reverse("admin:index")
    assert gone
    assert App.objects.get(pk=full_app.pk).status == "draft"


def test_only_pages_of_the_admin_have_the_looser_policy(operator: Client) -> None:
    inside = operator.get(reverse("admin:index"))["Content-Security-Policy"]
    at_the_door = Client().get(reverse("admin:login"))["Content-Security-Policy"]
    outside = operator.get("/no-such-page/")["Content-Security-Policy"]

    for policy in (inside, at_the_door):
        assert "script-src 'self' 'unsafe-eval'" in policy
        assert "style-src 'self' 'unsafe-inline'" in policy
        assert "unsafe-inline" not in policy.partition("script-src")[2].partition(";")[0]
    assert "unsafe" not in outside


def test_every_entry_of_the_side_bar_leads_somewhere(operator: Client) -> None:
    answer = operator.get(reverse("admin:index"))

    for group in answer.context["sidebar_navigation"]:
        for item in group["items"]:
            assert operator.get(str(item["link"])).status_code == 200


def test_members_are_told_why_they_stand_before_the_door(enter: Enter) -> None:
    page = enter("members").get(reverse("admin:login"))

    assert "The admin is for operators and builders" in page.text
    assert "You are signed in" not in Client().get(reverse("admin:login")).text


@pytest.mark.parametrize(
    ("role", "groups"),
    [
        ("operators", ["Studio", "Assets", "Records", "People"]),
        ("builders", ["Studio", "Assets", "Records"]),
    ],
)
def test_the_first_page_is_grouped_like_the_side_bar(
    enter: Enter, role: str, groups: list[str]
) -> None:
    page = enter(role).get(reverse("admin:index"))

    assert [group["name"] for group in page.context["app_list"]] == groups
    assert "axes" not in page.text
