"""The chat sockets of this process: who watches what, whose credentials still hold, who fell silent."""

import asyncio
import logging
from enum import IntEnum
from typing import TYPE_CHECKING

from django.conf import settings
from django.db import Error as DatabaseError
from django.utils.translation import gettext as _

from apps.chat.revocation import still_valid
from apps.runs.database import in_database

if TYPE_CHECKING:
    from apps.chat.consumers import ChatConsumer

logger = logging.getLogger(__name__)

SWEEP = 4.0
IDLE = 180.0


class CloseCode(IntEnum):
    """Why the server closes a socket; a last frame says it in words."""

    RESTART = 1012
    BAD_MESSAGE = 4400
    UNAUTHENTICATED = 4401
    FORBIDDEN = 4403
    NOT_FOUND = 4404
    IDLE = 4408
    SUPERSEDED = 4409
    TOO_MANY = 4429


class OpenSockets:
    """A set of sockets that is swept while it is not empty."""

    def __init__(self) -> None:
        self.is_draining = False
        self._sockets: set[ChatConsumer] = set()
        self._sweeper: asyncio.Task[None] | None = None

    def __len__(self) -> int:
        return len(self._sockets)

    def watching(self, conversation_id: str) -> list["ChatConsumer"]:
        return [socket for socket in self._sockets if socket.watched == conversation_id]

    async def add(self, socket: "ChatConsumer") -> None:
        """Close it instead when the site stops, or when its user has SOCKETS_PER_USER already."""
        if self.is_draining:
            await socket.close(CloseCode.RESTART)
            return
        if (
            sum(other.user_id == socket.user_id for other in self._sockets)
            >= settings.SOCKETS_PER_USER
        ):
            await socket.refuse(
                CloseCode.TOO_MANY, "too_many_sockets", _("Too many pages are open. Close some.")
            )
            return
        self._sockets.add(socket)
        if self._sweeper is None or self._sweeper.done():
            self._sweeper = asyncio.create_task(self._sweep())

    def discard(self, socket: "ChatConsumer") -> None:
        self._sockets.discard(socket)

    def all(self) -> list["ChatConsumer"]:
        return list(self._sockets)

    async def _sweep(self) -> None:
        """Every 4 s, for all sockets together: at most three statements."""
        while self._sockets:
            await asyncio.sleep(SWEEP)
            await self.close_idle()
            try:
                await self.close_revoked()
            except DatabaseError:
                logger.exception("Credentials of open sockets could not be checked; trying again.")

    async def close_revoked(self) -> None:
        """End sockets whose session or key no longer holds (logout, new password, revoked, suspended)."""
        asked = {socket.credentials for socket in self._sockets}
        valid = await in_database(still_valid, asked)
        for socket in self.all():
            if socket.credentials in asked - valid:
                await socket.refuse(
                    CloseCode.UNAUTHENTICATED,
                    "unauthenticated",
                    _("Your session has ended. Sign in again."),
                )

    async def close_idle(self) -> None:
        """End sockets that follow nothing and have said nothing for three minutes."""
        now = asyncio.get_running_loop().time()
        for socket in self.all():
            if not socket.followers and now - socket.last_heard > IDLE:
                await socket.refuse(
                    CloseCode.IDLE, "idle", _("Nothing was heard from you. Connect again.")
                )


open_sockets = OpenSockets()
