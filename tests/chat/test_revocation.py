"""Open sockets end with what opened them: the key or the session."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone

from apps.accounts.api_keys import create_api_key
from apps.accounts.models import User
from apps.chat.handshake import Credentials, find_caller
from apps.chat.revocation import still_valid


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ({}, True),
        ({"revoked_at": timezone.now()}, False),
        ({"expires_at": timezone.now() - timedelta(seconds=1)}, False),
        ({"expires_at": timezone.now() + timedelta(days=1)}, True),
        ({"can_chat": False}, False),
    ],
    ids=["unchanged", "revoked", "expired", "not-yet-expired", "scope-taken"],
)
def test_a_key_holds_until_it_is_taken_back(
    owner: User, change: dict[str, Any], holds: bool
) -> None:
    key, secret = create_api_key(user=owner, name="k")
    type(key).objects.filter(pk=key.pk).update(**change)
    credentials = Credentials(secret=secret, session_key=None)
    assert still_valid([credentials]) == ({credentials} if holds else set())


def suspend(user: User) -> None:
    User.objects.filter(pk=user.pk).update(is_active=False)


def change_password(user: User) -> None:
    user.set_password("another password")
    user.save()


def log_out(user: User) -> None:
    Session.objects.all().delete()


@pytest.mark.parametrize("end", [suspend, change_password, log_out])
def test_a_session_holds_until_it_ends(owner: User, end: Callable[[User], None]) -> None:
    client = Client()
    client.force_login(owner)
    credentials = Credentials(secret=None, session_key=client.session.session_key)
    assert still_valid([credentials]) == {credentials}
    end(owner)
    assert still_valid([credentials]) == set()
    assert find_caller(credentials) is None


def test_all_credentials_are_asked_for_in_three_statements(
    owner: User, django_assert_num_queries: Callable[..., Any]
) -> None:
    secrets = [create_api_key(user=owner, name=str(n))[1] for n in range(3)]
    clients = [Client() for _ in range(3)]
    for client in clients:
        client.force_login(owner)
    asked = [Credentials(secret=secret, session_key=None) for secret in secrets]
    asked += [Credentials(secret=None, session_key=one.session.session_key) for one in clients]
    with django_assert_num_queries(3):
        assert still_valid(asked) == set(asked)


def test_credentials_do_not_show_themselves() -> None:
    shown = repr(Credentials(secret="qt_canary", session_key="session-canary"))
    assert "canary" not in shown
