"""What runs beside the web server: background duties in threads of this process, or Celery's own processes."""

import os
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from celery.beat import EmbeddedService, Scheduler
from celery.worker import WorkController
from django.conf import settings

from config.celery import app
from config.orphans import PARENT

PLATFORM = Path(__file__).resolve().parents[1]
LOOK_FOR_END = 0.2


class Background(Protocol):
    """The background of a site, started once and stopped once."""

    def start(self) -> None: ...

    def stop(self, seconds: float) -> None:
        """End within `seconds`."""
        ...


class BackgroundThreads:
    """Without Redis: a Celery worker and the beat in threads, over the in-memory transport."""

    def __init__(self) -> None:
        self._worker = WorkController(
            app=app, pool_cls="threads", concurrency=2, queues=["jobs"], loglevel="WARNING"
        )
        self._beat = EmbeddedService(app, thread=True, scheduler_cls=Scheduler)
        self._beat.service.max_interval = LOOK_FOR_END
        self._thread = threading.Thread(target=self._worker.start, name="worker", daemon=True)

    def start(self) -> None:
        self._thread.start()
        self._beat.start()

    def stop(self, seconds: float) -> None:
        """A task that outlasts `seconds` is left behind."""
        ending = threading.Thread(target=self._end, name="background ends", daemon=True)
        ending.start()
        ending.join(seconds)

    def _end(self) -> None:
        self._beat.stop()
        self._worker.stop()
        self._thread.join()


class BackgroundProcesses:
    """With Redis: Celery workers and beat as processes, as in a larger installation."""

    def __init__(self) -> None:
        self._commands = [
            ["worker", "--queues", "jobs", "--concurrency", "2", "--hostname", "jobs@%h"],
            ["beat", "--schedule", str(settings.QUINTET_VAR / "beat-schedule"), "--pidfile", ""],
        ]
        if settings.RUN_EXECUTOR == "celery":
            runs = ["worker", "--queues", "runs", "--pool", "threads", "--concurrency", "64"]
            self._commands.append([*runs, "--hostname", "runs@%h"])
        self._children: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        path = os.pathsep.join([str(PLATFORM), str(settings.BASE_DIR)])
        for command in self._commands:
            self._children.append(
                subprocess.Popen(  # noqa: S603 -- fixed commands of this file
                    [
                        sys.executable,
                        "-m",
                        "celery",
                        "-A",
                        "config",
                        *command,
                        "--loglevel",
                        "WARNING",
                    ],
                    env={**os.environ, "PYTHONPATH": path, PARENT: str(os.getpid())},
                    cwd=settings.BASE_DIR,
                )
            )

    def stop(self, seconds: float) -> None:
        """Celery loses signals that come while it starts: they are repeated until they are obeyed."""
        deadline = time.monotonic() + seconds
        while (alive := self._alive()) and time.monotonic() < deadline:
            for child in alive:
                child.terminate()
            with suppress(subprocess.TimeoutExpired):
                alive[0].wait(timeout=1)
        for child in self._alive():
            child.kill()
            child.wait()

    def _alive(self) -> list[subprocess.Popen[bytes]]:
        return [child for child in self._children if child.poll() is None]


class NoBackground:
    """Where the background runs elsewhere, as in a composed installation."""

    def start(self) -> None: ...

    def stop(self, seconds: float) -> None: ...


def make_background(*, is_elsewhere: bool) -> Background:
    if is_elsewhere:
        return NoBackground()
    return BackgroundProcesses() if settings.REDIS_URL else BackgroundThreads()
