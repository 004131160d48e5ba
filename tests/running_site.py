"""The site as people run it: `manage.py serve` in processes of its own, with its own data and port."""

import os
import queue
import secrets
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path

import psutil

from tests.throwaway.ports import free_port

ROOT = Path(__file__).resolve().parents[1]
READY = "Quintet is ready on"
START_TIMEOUT = 60.0
STOP_TIMEOUT = 40.0


class SiteNotReadyError(Exception):
    """The site ended, or said nothing, before it was ready; the message is its log."""


class RunningSite:
    """A site with the operator `admin`. `folder` keeps its data over restarts.

    `environment` adds to what the site is told (DATABASE_URL, RUN_HEARTBEAT, …).
    """

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.api_key = f"test_{secrets.token_urlsafe(24)}"
        self.password = secrets.token_urlsafe(16)
        self.log: list[str] = []
        self._environment = environment
        self._process: subprocess.Popen[str] | None = None

    @property
    def process(self) -> subprocess.Popen[str]:
        """The process of `manage.py serve`; it leads a session in which everything it starts runs."""
        assert self._process is not None, "this site was never started"
        return self._process

    @property
    def is_running(self) -> bool:
        return self._process is not None and self._process.poll() is None

    def start(self) -> None:
        """Return when the site says that it is ready. Raises SiteNotReadyError."""
        self._process = process = subprocess.Popen(
            [sys.executable, "manage.py", "serve"],
            cwd=ROOT,
            env=self._told(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        news: queue.Queue[bool] = queue.Queue()
        threading.Thread(target=self._read, args=(process, news), daemon=True).start()
        try:
            is_ready = news.get(timeout=START_TIMEOUT)
        except queue.Empty:
            is_ready = False
        if not is_ready:
            self.kill()
            raise SiteNotReadyError("".join(self.log))

    def stop(self) -> int:
        """SIGTERM, as `make run` and a container get it. Returns the exit status."""
        self.process.terminate()
        try:
            return self.process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self.kill()
            raise

    def kill(self) -> None:
        """SIGKILL to everything at once, like a machine that loses power. Nothing to kill is fine."""
        for process in self.processes():
            process.send_signal(signal.SIGKILL)
        self.process.wait(STOP_TIMEOUT)

    def restart(self) -> None:
        if self.is_running:
            self.stop()
        self.start()

    def processes(self) -> list[psutil.Process]:
        """Everything of this site that is alive: the leader of the session and what it started."""
        session = self.process.pid
        return [process for process in psutil.process_iter() if _session_of(process) == session]

    def _told(self) -> dict[str, str]:
        return {
            **os.environ,
            "QUINTET_VAR": str(self.folder),
            "QUINTET_ADMIN_PASSWORD": self.password,
            "QUINTET_API_KEY": self.api_key,
            "HOST": "127.0.0.1",
            "PORT": str(self.port),
            "DATABASE_URL": f"sqlite:///{self.folder / 'quintet.sqlite3'}",
            "PYTHONUNBUFFERED": "1",
            "QUESTIONS_PER_MINUTE": "10000",
            **self._environment,
        }

    def _read(self, process: subprocess.Popen[str], news: queue.Queue[bool]) -> None:
        """Keep the log; the news is True for the ready line, False for the end of the output."""
        assert process.stdout is not None
        with process.stdout as lines:
            for line in lines:
                self.log.append(line)
                if READY in line:
                    news.put(True)
        news.put(False)


def _session_of(process: psutil.Process) -> int | None:
    try:
        return None if process.status() == psutil.STATUS_ZOMBIE else os.getsid(process.pid)
    except (psutil.NoSuchProcess, ProcessLookupError):
        return None
