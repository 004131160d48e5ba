"""Keys of programs: made once, found while they count, revoked."""

import pytest

from apps.accounts.api_keys import create_api_key, find_api_key, revoke_api_keys
from apps.accounts.models import ApiKey, User

pytestmark = pytest.mark.django_db


@pytest.fixture
def user() -> User:
    return User.objects.create_user("pia")


def test_a_revoked_key_is_not_found_and_its_neighbour_is(user: User) -> None:
    key, secret = create_api_key(user=user, name="CI")
    _other, other_secret = create_api_key(user=user, name="Laptop")

    assert revoke_api_keys(ApiKey.objects.filter(name="CI")) == [key]

    assert find_api_key(secret) is None
    assert find_api_key(other_secret) is not None


def test_revoking_again_changes_nothing(user: User) -> None:
    key, _secret = create_api_key(user=user, name="CI")
    revoke_api_keys(ApiKey.objects.all())
    key.refresh_from_db()
    first = key.revoked_at

    assert revoke_api_keys(ApiKey.objects.all()) == []

    key.refresh_from_db()
    assert key.revoked_at == first is not None
