"""A Redis server for tests: on a free loopback port, nothing on disk."""

import secrets
import shutil
import signal
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Self

import redis

from tests.throwaway.ports import free_port
from tests.throwaway.programs import REDIS, locate

START_TIMEOUT = 10.0


class RedisServer:
    """`with RedisServer() as server:` gives `server.url`; the other methods play a failing server.

    A server that was killed starts again empty, on its old port.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="quintet-redis-"))
        self._password = secrets.token_hex(16)
        self._port = free_port()
        self._process: subprocess.Popen[str] | None = None

    @property
    def url(self) -> str:
        return self.database_url(0)

    def database_url(self, number: int) -> str:
        """The URL of one of the server's 1,024 databases."""
        return f"redis://:{self._password}@127.0.0.1:{self._port}/{number}"

    def __enter__(self) -> Self:
        try:
            self.start()
        except BaseException:
            self.kill()
            shutil.rmtree(self._folder)
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.kill()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        options = {
            "bind": "127.0.0.1",
            "port": str(self._port),
            "dir": str(self._folder),
            "logfile": str(self._folder / "log"),
            "requirepass": self._password,
            "databases": "1024",
            "save": '""',
        }
        self._process = subprocess.Popen(
            [str(locate(REDIS)), "-"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdin is not None
        with self._process.stdin as configuration:
            configuration.writelines(f"{name} {value}\n" for name, value in options.items())
        self._wait_until_it_answers()

    def kill(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def pause(self) -> None:
        """The server hangs: connections stay open and nothing answers, until `resume`."""
        self._signal(signal.SIGSTOP)

    def resume(self) -> None:
        self._signal(signal.SIGCONT)

    def _signal(self, number: signal.Signals) -> None:
        assert self._process is not None, "this Redis server does not run"
        self._process.send_signal(number)

    def _wait_until_it_answers(self) -> None:
        deadline = time.monotonic() + START_TIMEOUT
        with redis.Redis.from_url(self.url) as client:
            while not _answers(client):
                ended = self._process is None or self._process.poll() is not None
                if ended or time.monotonic() > deadline:
                    raise RuntimeError(
                        f"Redis did not start:\n{(self._folder / 'log').read_text()}"
                    )
                time.sleep(0.01)


def _answers(client: redis.Redis) -> bool:
    try:
        return bool(client.ping())
    except redis.ConnectionError:
        return False
