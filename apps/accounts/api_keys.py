"""Making, finding and revoking the keys of programs."""

import hashlib
import secrets
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.accounts.models import ApiKey, User

MINIMUM_LENGTH = 20


def digest_of(secret: str) -> str:
    return hashlib.sha256(secret.encode()).hexdigest()


def create_api_key(
    *,
    user: User,
    name: str,
    secret: str | None = None,
    expires_at: datetime | None = None,
    **scopes: bool,
) -> tuple[ApiKey, str]:
    """A new key and its secret, which is readable only now. A given `secret` has ≥ 20 characters."""
    secret = secret or f"qt_{secrets.token_urlsafe(32)}"
    if len(secret) < MINIMUM_LENGTH:
        raise ValidationError(
            _("An API key needs at least %(n)d characters.") % {"n": MINIMUM_LENGTH}
        )
    key = ApiKey.objects.create(
        user=user,
        name=name,
        prefix=secret[:8],
        digest=digest_of(secret),
        expires_at=expires_at,
        **scopes,
    )
    return key, secret


def find_api_key(secret: str) -> ApiKey | None:
    """The usable key with this secret: not revoked, not expired, its user active.

    One statement, which has a row for each role of the user.
    """
    rows = list(
        ApiKey.objects.select_related("user", "caller")
        .annotate(role=F("user__groups__name"))
        .filter(digest=digest_of(secret), revoked_at=None, user__is_active=True)
        .filter(Q(expires_at=None) | Q(expires_at__gt=Now()))
    )
    if not rows:
        return None
    key = rows[0]
    key.user.group_names = frozenset(row.role for row in rows if row.role)
    return key


def revoke_api_keys(keys: QuerySet[ApiKey]) -> list[ApiKey]:
    """Refuse these keys from the next request on. Returns those that were not revoked before."""
    usable = list(keys.filter(revoked_at=None))
    ApiKey.objects.filter(pk__in=[key.pk for key in usable]).update(revoked_at=Now())
    return usable
