"""`Authorization: Bearer` for programs: one reading of the header for REST and WebSocket."""

from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication
from rest_framework.exceptions import AuthenticationFailed
from rest_framework.request import Request

from apps.accounts.api_keys import find_api_key
from apps.accounts.models import ApiKey, User


def bearer_secret(authorization: str) -> str | None:
    """The secret in an Authorization header value, or None when it is of another scheme."""
    scheme, _space, secret = authorization.partition(" ")
    return secret.strip() if scheme.lower() == "bearer" else None


class ApiKeyAuthentication(BaseAuthentication):
    """`request.user` is the key's user, `request.auth` the ApiKey."""

    def authenticate(self, request: Request) -> tuple[User, ApiKey] | None:
        secret = bearer_secret(request.headers.get("Authorization", ""))
        if secret is None:
            return None
        key = find_api_key(secret)
        if key is None:
            raise AuthenticationFailed(
                _(
                    "This API key is unknown, revoked or expired. Create one in the admin under API keys."
                ),
                code="invalid_api_key",
            )
        return key.user, key

    def authenticate_header(self, request: Request) -> str:
        return "Bearer"
