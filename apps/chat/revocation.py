"""Do the credentials of open sockets still hold? Asked for all of them at once."""

from collections.abc import Collection

from django.contrib.auth import HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.utils import timezone

from apps.accounts.api_keys import digest_of
from apps.accounts.models import ApiKey, User
from apps.chat.handshake import Credentials


def still_valid(asked: Collection[Credentials]) -> set[Credentials]:
    """Those of `asked` that would be let in now. Three statements, whatever their number."""
    secrets = {digest_of(one.secret): one for one in asked if one.secret}
    sessions = {one.session_key: one for one in asked if one.session_key and not one.secret}
    keys = _usable_digests(secrets)
    users = _session_users(sessions)
    return {secrets[digest] for digest in keys} | {sessions[key] for key in users}


def _usable_digests(digests: Collection[str]) -> set[str]:
    if not digests:
        return set()
    now = timezone.now()
    keys = ApiKey.objects.filter(digest__in=list(digests), revoked_at=None, user__is_active=True)
    usable = keys.filter(Q(expires_at=None) | Q(expires_at__gt=now), can_chat=True)
    return set(usable.values_list("digest", flat=True))


def _session_users(session_keys: Collection[str]) -> set[str]:
    """Session keys that are alive and were made with their user's present password."""
    if not session_keys:
        return set()
    alive = Session.objects.filter(
        session_key__in=list(session_keys), expire_date__gt=timezone.now()
    )
    contents = {session.session_key: session.get_decoded() for session in alive}
    ids = {content[SESSION_KEY] for content in contents.values() if SESSION_KEY in content}
    users = {str(user.pk): user for user in User.objects.filter(pk__in=ids, is_active=True)}
    return {
        key
        for key, content in contents.items()
        if (user := users.get(content.get(SESSION_KEY, "")))
        and content.get(HASH_SESSION_KEY)
        in {user.get_session_auth_hash(), *user.get_session_auth_fallback_hash()}
    }
