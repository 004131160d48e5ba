"""What runs beside the web server: background duties in threads of this process, or Celery's own processes."""

import logging
import subprocess
import threading
import time
from contextlib import suppress
from typing import Protocol

from celery.beat import EmbeddedService, Scheduler
from celery.worker import WorkController
from django.conf import settings

from config.celery import app
from config.serving.kept_process import KeptProcess

logger = logging.getLogger(__name__)

LOOK_FOR_END = 0.2
# Workers that wait for no word of others when they come up.
WORKER = ("worker", "--without-mingle", "--without-gossip")


class Background(Protocol):
    """The background of a site, started once and stopped once."""

    def start(self) -> None: ...

    def wait_ready(self, seconds: float) -> None:
        """Return when what was started can work; after `seconds` also when it cannot yet."""
        ...

    def expect_end(self) -> None:
        """The end has begun: what ends by itself (Ctrl-C reaches every process) stays ended."""
        ...

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

    def wait_ready(self, seconds: float) -> None: ...

    def expect_end(self) -> None: ...

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
    """With Redis: Celery workers and beat as processes, each started again when it ends by itself."""

    def __init__(self) -> None:
        jobs = ["--queues", "jobs", "--concurrency", "2", "--hostname", "jobs@%h"]
        schedule = str(settings.QUINTET_VAR / "beat-schedule")
        self._commands = [
            [*WORKER, *jobs],
            ["beat", "--schedule", schedule, "--pidfile", ""],
        ]
        if settings.RUN_EXECUTOR == "celery":
            runs = ["--queues", "runs", "--pool", "threads", "--concurrency", "64"]
            self._commands.append([*WORKER, *runs, "--hostname", "runs@%h"])
        self._kept: list[KeptProcess] = []
        self._is_ending = threading.Event()
        self._watch = threading.Thread(target=self._keep, name="background", daemon=True)

    def start(self) -> None:
        self._kept = [KeptProcess(command) for command in self._commands]
        self._watch.start()

    def _keep(self) -> None:
        while not self._is_ending.wait(LOOK_FOR_END):
            for kept in self._kept:
                kept.look()

    def wait_ready(self, seconds: float) -> None:
        """Every worker has answered a ping."""
        deadline = time.monotonic() + seconds
        workers = sum(command[0] == "worker" for command in self._commands)
        while not self._is_ending.is_set() and _count_workers(at_most=workers) < workers:
            if time.monotonic() > deadline:
                logger.warning("The Celery workers do not answer yet; their work waits in Redis.")
                return

    def expect_end(self) -> None:
        self._is_ending.set()

    def stop(self, seconds: float) -> None:
        """Celery loses signals that come while it starts: they are repeated until they are obeyed."""
        deadline = time.monotonic() + seconds
        self.expect_end()
        self._watch.join()
        while (alive := self._alive()) and time.monotonic() < deadline:
            for child in alive:
                child.terminate()
            with suppress(subprocess.TimeoutExpired):
                alive[0].wait(timeout=1)
        for child in self._alive():
            child.kill()
            child.wait()

    def _alive(self) -> list[subprocess.Popen[bytes]]:
        return [kept.process for kept in self._kept if kept.process.poll() is None]


def _count_workers(*, at_most: int) -> int:
    """How many workers answer within a second; none while Redis does not."""
    with app.connection_for_write() as connection:
        try:
            return len(app.control.ping(timeout=1.0, limit=at_most, connection=connection))
        except connection.recoverable_connection_errors:
            time.sleep(1)
            return 0


class NoBackground:
    """Where the background runs elsewhere, as in a composed installation."""

    def start(self) -> None: ...

    def wait_ready(self, seconds: float) -> None: ...

    def expect_end(self) -> None: ...

    def stop(self, seconds: float) -> None: ...


def make_background(*, is_elsewhere: bool) -> Background:
    if is_elsewhere:
        return NoBackground()
    return BackgroundProcesses() if settings.REDIS_URL else BackgroundThreads()
