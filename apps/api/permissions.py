"""Who may use an endpoint: the role of the person and, for a program, the scopes of its key.

Which rows they then reach is decided by querysets: what is not theirs is not found.
"""

from typing import cast

from django.utils.translation import gettext as _
from rest_framework.exceptions import PermissionDenied
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.views import APIView

from apps.accounts.callers import caller_for_api_key, caller_for_user
from apps.accounts.models import ApiKey, Caller, User
from apps.accounts.roles import is_builder, is_operator


def user_of(request: Request) -> User:
    """The person behind an authenticated request."""
    return cast(User, request.user)


def key_of(request: Request) -> ApiKey | None:
    """The key a program came with, None for a person with a session."""
    return request.auth if isinstance(request.auth, ApiKey) else None


def caller_of(request: Request) -> Caller:
    """Who asks, in the sense of ownership."""
    key = key_of(request)
    return caller_for_user(user_of(request)) if key is None else caller_for_api_key(key)


def may_configure(request: Request) -> bool:
    """A builder or operator, whose key (if any) has the manage scope."""
    key = key_of(request)
    return is_builder(user_of(request)) and (key is None or key.can_manage)


class MayChat(IsAuthenticated):
    """Every person; a key with the chat scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        key = key_of(request)
        _require_scope("chat", key is None or key.can_chat)
        return True


class MaySeeApps(IsAuthenticated):
    """Every person; a key with the chat or the manage scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        key = key_of(request)
        _require_scope("chat", key is None or key.can_chat or key.can_manage)
        return True


class MayConfigure(IsAuthenticated):
    """Builders and operators; a key with the manage scope."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        key = key_of(request)
        _require_scope("manage", key is None or key.can_manage)
        _require_role(_("builders"), is_builder(user_of(request)))
        return True


class MayOperate(MayConfigure):
    """Operators; a key with the manage scope for all Apps, as what it changes concerns all of them."""

    def has_permission(self, request: Request, view: APIView) -> bool:
        if not super().has_permission(request, view):
            return False
        _require_role(_("operators"), is_operator(user_of(request)))
        key = key_of(request)
        if key is not None and not key.all_apps:
            raise PermissionDenied(
                _("This API key is limited to named Apps. Use one for all Apps."),
                code="key_limited",
            )
        return True


def _require_scope(scope: str, is_given: bool) -> None:
    if not is_given:
        raise PermissionDenied(
            _("This API key lacks the scope %r. Use a key that has it.") % scope,
            code="scope_missing",
        )


def _require_role(role: str, is_given: bool) -> None:
    if not is_given:
        raise PermissionDenied(
            _("Only %(role)s may do this. Ask an operator of this site.") % {"role": role},
            code="role_missing",
        )
