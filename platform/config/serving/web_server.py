"""The web server of one process: daphne, started when the site is ready, drained before it ends."""

import asyncio
import os
import signal
import threading
import time
from collections.abc import Callable
from typing import Any

from daphne import http_protocol
from daphne.server import Server, twisted_loop
from daphne.ws_protocol import WebSocketFactory
from django.conf import settings

from agents.models.sessions import close_sessions
from apps.chat.daphne_protocol import ClosableWebSocketProtocol
from apps.chat.draining import drain_sockets
from apps.runs.database import close_connections
from apps.runs.home import get_home
from apps.runs.housekeeping import begin_housekeeping, end_housekeeping
from config.asgi import application
from config.serving.background import Background
from config.serving.body_limit import BoundedRequest

# The consumer answers frames over its own limit; what is larger still, daphne closes without a word.
MAX_FRAME = 1024 * 1024
# How long workers may take to come up, in seconds, before the site is ready without them.
WORKERS_START = 15.0
# The end, in seconds after RUN_DRAIN: interrupted runs write their ends, here or in the workers; what is left
# of the time up to LAST_CALL is the background's, and at HARD_EXIT the process is gone whatever hangs.
WORKERS_END = 15.0
LAST_CALL = 25.0
HARD_EXIT = 30.0


class _PortedServer(Server):
    """daphne's server, which remembers its ports, so that it can stop listening before it ends."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)  # type: ignore[no-untyped-call] # daphne has no types
        self.ports: list[Any] = []

    def listen_success(self, port: Any) -> None:
        super().listen_success(port)  # type: ignore[no-untyped-call] # daphne has no types
        self.ports.append(port)


class WebServer:
    """Serves until SIGTERM or SIGINT. A second SIGINT ends it at once; SIGTERM may be repeated.

    daphne knows neither start-up nor drain, so both are done here, on its event loop.
    """

    def __init__(self, background: Background, *, tell: Callable[[str], None]) -> None:
        """`tell` shows a sentence to whoever started the site."""
        self._background = background
        self._tell = tell
        self._beginning: asyncio.Task[None] | None = None
        self._is_ending = False
        WebSocketFactory.protocol = ClosableWebSocketProtocol
        setattr(http_protocol, "WebRequest", BoundedRequest)  # noqa: B010 -- a name, not a type, to daphne
        self._server = _PortedServer(
            application,
            endpoints=[f"tcp:port={settings.PORT}:interface={settings.HOST}"],
            signal_handlers=False,
            ready_callable=self._prepare,
            websocket_max_message_size=MAX_FRAME,
            websocket_max_frame_size=MAX_FRAME,
            server_name="quintet",
        )

    def run(self) -> bool:
        """Blocks until the end; False when the address could not be listened on."""
        self._server.run()
        return not self._server.abort_start

    def _prepare(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            twisted_loop.add_signal_handler(number, self._begin_end, number)
        self._beginning = twisted_loop.create_task(self._begin())

    async def _begin(self) -> None:
        begin_housekeeping()
        self._background.start()
        await asyncio.to_thread(self._background.wait_ready, WORKERS_START)
        if not self._is_ending:
            self._tell(f"Quintet is ready on http://{settings.HOST}:{settings.PORT}")

    def _begin_end(self, number: signal.Signals) -> None:
        if self._is_ending:
            if number is signal.SIGINT:
                os._exit(1)
            return
        self._is_ending = True
        self._background.expect_end()
        if count := len(get_home().running):
            self._tell(_stopping(count))
        _exit_hard_after(settings.RUN_DRAIN + HARD_EXIT)
        twisted_loop.create_task(self._end())

    async def _end(self) -> None:
        last_call = time.monotonic() + settings.RUN_DRAIN + LAST_CALL
        for port in self._server.ports:
            port.stopListening()
        try:
            await drain_sockets()
            await get_home().drain(settings.RUN_DRAIN)
            await end_housekeeping()
            await close_sessions()
            seconds = min(settings.RUN_DRAIN + WORKERS_END, last_call - time.monotonic())
            await asyncio.to_thread(self._background.stop, seconds)
            await asyncio.to_thread(close_connections)
        finally:
            self._server.stop()


def _stopping(count: int) -> str:
    answers = "1 answer is" if count == 1 else f"{count} answers are"
    return (
        f"Stopping: {answers} being written, waiting up to {settings.RUN_DRAIN:.0f} s. "
        "Ctrl-C again ends it now."
    )


def _exit_hard_after(seconds: float) -> None:
    """A thread that hangs must not keep the process."""
    watchdog = threading.Timer(seconds, os._exit, args=[1])
    watchdog.daemon = True
    watchdog.start()
