"""A PostgreSQL cluster for tests: on a free loopback port, in a temporary folder, without fsync."""

import os
import pwd
import secrets
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Literal, Self

import psycopg
from psycopg import sql

from tests.throwaway.ports import free_port
from tests.throwaway.programs import POSTGRES, WHEELS, locate

SUPERUSER = "quintet"


class PostgresCluster:
    """`with PostgresCluster() as cluster:` gives `cluster.url`; `stop` and `start` play a failing server.

    PostgreSQL refuses to run as root: root's cluster belongs to an unprivileged account.
    """

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="quintet-postgresql-"))
        self._password = secrets.token_hex(16)
        self._account: dict[str, Any] = _unprivileged_account() if os.geteuid() == 0 else {}
        self._port = free_port()
        self.url = f"postgres://{SUPERUSER}:{self._password}@127.0.0.1:{self._port}/postgres"

    def __enter__(self) -> Self:
        try:
            self._binaries = self._readable_binaries()
            self._create()
            self.start()
        except BaseException:
            shutil.rmtree(self._folder)
            raise
        return self

    def __exit__(self, *_exception: object) -> None:
        self.stop()
        shutil.rmtree(self._folder)

    def start(self) -> None:
        self._run("pg_ctl", "start", "--wait", "--log", str(self._folder / "log"))

    def stop(self, mode: Literal["fast", "immediate"] = "fast") -> None:
        """Does nothing to a cluster that is already down."""
        if (self._folder / "data" / "postmaster.pid").exists():
            self._run("pg_ctl", "stop", "--wait", "--mode", mode)

    def _readable_binaries(self) -> Path:
        binaries = locate(POSTGRES).resolve().parent
        if self._account and binaries.is_relative_to(WHEELS):
            copy = shutil.copytree(WHEELS, self._folder / "installed")
            return copy / binaries.relative_to(WHEELS)
        return binaries

    def _create(self) -> None:
        password_file = self._folder / "password"
        password_file.write_text(self._password)
        if self._account:
            for path in (self._folder, password_file):
                os.chown(path, self._account["user"], self._account["group"])
        self._run(
            "initdb", "--username", SUPERUSER, "--pwfile", str(password_file),
            "--auth", "scram-sha-256", "--encoding", "UTF8", "--locale", "C", "--no-sync",
        )  # fmt: skip
        settings = {
            "listen_addresses": "127.0.0.1",
            "port": str(self._port),
            "unix_socket_directories": str(self._folder),
            "max_connections": "200",
            "fsync": "off",
            "synchronous_commit": "off",
            "full_page_writes": "off",
        }
        with (self._folder / "data" / "postgresql.conf").open("a") as file:
            file.writelines(f"{name} = '{value}'\n" for name, value in settings.items())

    def _run(self, program: str, *arguments: str) -> None:
        command = [
            str(self._binaries / program),
            "--pgdata",
            str(self._folder / "data"),
            *arguments,
        ]
        try:
            subprocess.run(
                command,
                check=True,
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE if program == "initdb" else None,
                text=True,
                **self._account,
            )
        except subprocess.CalledProcessError as error:
            log = self._folder / "log"
            words = log.read_text() if log.exists() else error.stderr
            raise RuntimeError(
                f"{program} failed with status {error.returncode}:\n{words}"
            ) from error


def _unprivileged_account() -> dict[str, Any]:
    names = {entry.pw_name: entry for entry in pwd.getpwall()}
    entry = names.get("postgres") or names["nobody"]
    return {"user": entry.pw_uid, "group": entry.pw_gid, "extra_groups": []}


@contextmanager
def database_of_its_own(server_url: str) -> Iterator[str]:
    """The URL of a new, empty database on the server of `server_url`; dropped at the end."""
    name = f"quintet_{secrets.token_hex(8)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield f"{server_url.rpartition('/')[0]}/{name}"
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)")
            connection.execute(drop.format(sql.Identifier(name)))
