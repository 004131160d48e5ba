"""Users, roles and keys in the admin."""

from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse

from apps.accounts.api_keys import create_api_key, find_api_key
from apps.accounts.models import ApiKey, User


def _create_key(operator: Client, person: User, **scopes: str) -> str:
    answer = operator.post(
        reverse("admin:accounts_apikey_add"),
        {"name": "CI", "user": person.pk, "can_chat": "on", **scopes},
    )
    assert answer.status_code == 200
    assert "no-store" in answer["Cache-Control"]
    secret: str = answer.context["secret"]
    assert secret in answer.text
    return secret


def test_a_new_key_is_shown_once_and_works(operator: Client) -> None:
    person = User.objects.create_user("pia")

    secret = _create_key(operator, person, can_manage="on")

    key = find_api_key(secret)
    assert key is not None
    assert (key.user, key.can_manage, key.can_read_usage, key.all_apps) == (
        person, True, False, False,
    )  # fmt: skip
    later = operator.get(reverse("admin:accounts_apikey_change", args=[key.pk])).text
    assert secret not in later
    assert ApiKey.objects.count() == 1


def test_a_new_key_is_for_oneself_unless_somebody_else_is_chosen(operator: Client) -> None:
    form = operator.get(reverse("admin:accounts_apikey_add")).context["adminform"].form

    assert User.objects.get(pk=form.initial["user"]).username == "operators"


def test_revoked_keys_stay_in_the_list_and_are_refused(operator: Client) -> None:
    key, secret = create_api_key(user=User.objects.create_user("pia"), name="CI")

    operator.post(
        reverse("admin:accounts_apikey_changelist"),
        {"action": "revoke", "_selected_action": [key.pk]},
    )

    assert find_api_key(secret) is None
    assert "revoked" in operator.get(reverse("admin:accounts_apikey_changelist")).text


def test_a_key_cannot_be_given_to_somebody_else(operator: Client) -> None:
    key, _secret = create_api_key(user=User.objects.create_user("pia"), name="CI")
    other = User.objects.create_user("otto")

    operator.post(
        reverse("admin:accounts_apikey_change", args=[key.pk]), {"name": "CI", "user": other.pk}
    )

    key.refresh_from_db()
    assert key.user.username == "pia"


def test_a_role_is_given_and_nobody_becomes_a_superuser_here(operator: Client) -> None:
    person = User.objects.create_user("pia")
    builders = Group.objects.get_or_create(name="builders")[0]

    answer = operator.post(
        reverse("admin:accounts_user_change", args=[person.pk]),
        {"username": "pia", "is_active": "on", "groups": [builders.pk], "is_superuser": "on"},
    )

    assert answer.status_code == 302
    person.refresh_from_db()
    assert list(person.groups.all()) == [builders]
    assert not person.is_superuser
    assert not person.is_staff


def test_the_roles_exist_and_cannot_be_changed(operator: Client) -> None:
    group = Group.objects.get_or_create(name="members")[0]

    operator.post(reverse("admin:auth_group_change", args=[group.pk]), {"name": "kings"})

    group.refresh_from_db()
    assert group.name == "members"
