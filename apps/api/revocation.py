"""An event stream ends with the key or the session that opened it."""

import time
from collections.abc import AsyncGenerator, AsyncIterator
from contextlib import aclosing

from django.conf import settings
from rest_framework.request import Request

from agents.events import AgentThought
from apps.accounts.authentication import bearer_secret
from apps.chat.handshake import Credentials
from apps.chat.revocation import still_valid
from apps.runs.database import in_database

RECHECK = 4.0


async def while_valid(
    request: Request, thoughts: AsyncIterator[AgentThought]
) -> AsyncGenerator[AgentThought, None]:
    """`thoughts`, of which none is given away more than 4 seconds after a look at the credentials."""
    credentials = Credentials(
        secret=bearer_secret(request.headers.get("Authorization", "")),
        session_key=request.COOKIES.get(settings.SESSION_COOKIE_NAME),
    )
    looked = time.monotonic()
    async with aclosing(thoughts):  # type: ignore[type-var]
        async for thought in thoughts:
            if time.monotonic() - looked >= RECHECK:
                if not await in_database(still_valid, [credentials]):
                    return
                looked = time.monotonic()
            yield thought
