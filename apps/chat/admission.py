"""Who may chat over a WebSocket: asked when it opens and again for every frame."""

from collections.abc import Callable
from typing import TypeVar

from django.utils.translation import gettext as _

from apps.accounts.models import Caller
from apps.chat.handshake import Credentials, find_caller
from apps.chat.sockets import CloseCode

F = TypeVar("F")
T = TypeVar("T")


class NotAdmittedError(Exception):
    """The credentials let nobody in; the socket closes with `close_code`."""

    def __init__(self, close_code: CloseCode, code: str, message: str) -> None:
        super().__init__(message)
        self.close_code = close_code
        self.code = code


def admit(credentials: Credentials) -> Caller:
    """The caller with the roles and scopes of this moment; raises NotAdmittedError."""
    caller = find_caller(credentials)
    if caller is None:
        raise NotAdmittedError(
            CloseCode.UNAUTHENTICATED, "unauthenticated", _("Sign in, or send a valid API key.")
        )
    if caller.api_key and not caller.api_key.can_chat:
        raise NotAdmittedError(
            CloseCode.FORBIDDEN, "forbidden", _("This API key may not chat. Use one that may.")
        )
    return caller


def act_for(act: Callable[[Caller, F], T], credentials: Credentials, frame: F) -> T:
    """Let whom the credentials name now do what the frame asks; raises NotAdmittedError."""
    return act(admit(credentials), frame)
