"""Reading a person, and what they may do, at once."""

import pytest
from django.contrib.auth.models import Group

from apps.accounts.api_keys import create_api_key, find_api_key
from apps.accounts.callers import caller_for_api_key, caller_for_user
from apps.accounts.models import User
from apps.accounts.roles import RoleBackend, is_builder, is_operator
from apps.accounts.users import find_user

pytestmark = pytest.mark.django_db

ROLES = pytest.mark.parametrize(
    "roles", [(), ("members",), ("builders", "members", "operators")], ids=str
)


def person(roles: tuple[str, ...]) -> User:
    user = User.objects.create_user("pia")
    user.groups.set([Group.objects.get_or_create(name=role)[0] for role in roles])
    return user


@ROLES
def test_somebody_who_asked_before_is_read_with_roles_and_caller_in_one_statement(
    roles: tuple[str, ...], django_assert_num_queries: object
) -> None:
    user = person(roles)
    caller = caller_for_user(user)

    with django_assert_num_queries(1):  # type: ignore[operator]
        found = find_user(user.pk)
        assert found is not None
        assert found.group_names == set(roles)
        assert caller_for_user(found) == caller
        assert caller_for_user(found).user is found


@ROLES
def test_a_key_is_read_with_the_roles_of_its_user_in_one_statement(
    roles: tuple[str, ...], django_assert_num_queries: object
) -> None:
    key, secret = create_api_key(user=person(roles), name="CI")
    caller = caller_for_api_key(key)

    with django_assert_num_queries(1):  # type: ignore[operator]
        found = find_api_key(secret)
        assert found is not None
        assert is_operator(found.user) == ("operators" in roles)
        assert is_builder(found.user) == ("builders" in roles)
        assert caller_for_api_key(found) == caller


def test_somebody_who_never_asked_anything_is_read_too() -> None:
    user = person(("builders",))

    found = find_user(user.pk)

    assert found == user
    assert is_builder(found)
    assert caller_for_user(found) == caller_for_user(user)


def test_a_person_who_was_suspended_has_no_session() -> None:
    user = person(("operators",))
    caller_for_user(user)
    User.objects.update(is_active=False)

    assert RoleBackend().get_user(user.pk) is None
    assert RoleBackend().get_user(0) is None
