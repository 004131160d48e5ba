"""A process of the site that is started again whenever it ends, until the site ends."""

import logging
import os
import subprocess
import sys
import time
from pathlib import Path

from django.conf import settings

from config.serving.orphans import PARENT

logger = logging.getLogger(__name__)

PLATFORM = Path(__file__).resolve().parents[2]
LONGEST_PAUSE = 30.0
# A process that lived for this many seconds had come up: the next pause is a short one again.
STEADY = 60.0


class KeptProcess:
    """One `celery` command. `look` belongs to one thread; after the last look, `process` may be ended."""

    def __init__(self, arguments: list[str]) -> None:
        self._arguments = arguments
        self._pause = 1.0
        self._started = 0.0
        self._next_start: float | None = None
        self.process = self._start()

    def look(self) -> None:
        """Start the process again 1, 2, 4 … 30 seconds after it was found ended."""
        now = time.monotonic()
        if self._next_start is None and self.process.poll() is not None:
            self._plan(now)
        elif self._next_start is not None and now >= self._next_start:
            self._next_start = None
            self.process = self._start()

    def _plan(self, now: float) -> None:
        if now - self._started > STEADY:
            self._pause = 1.0
        logger.error(
            "celery %s (process %d) ended with status %d; it starts again in %.0f s.",
            " ".join(self._arguments),
            self.process.pid,
            self.process.returncode,
            self._pause,
        )
        self._next_start = now + self._pause
        self._pause = min(self._pause * 2, LONGEST_PAUSE)

    def _start(self) -> subprocess.Popen[bytes]:
        self._started = time.monotonic()
        path = os.pathsep.join([str(PLATFORM), str(settings.BASE_DIR)])
        celery = [sys.executable, "-m", "celery", "--quiet", "-A", "config"]
        return subprocess.Popen(  # noqa: S603 -- fixed commands of this site
            [*celery, *self._arguments, "--loglevel", "WARNING"],
            env={**os.environ, "PYTHONPATH": path, PARENT: str(os.getpid())},
            cwd=settings.BASE_DIR,
        )
