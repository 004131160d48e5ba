"""`python -m tests [PATH…]`: the whole suite in three passes, with one summary.

Exit status 0 means that something was tested and nothing failed. The last line is the total.
"""

import os
import signal
import subprocess
import sys
import tempfile
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from tests.throwaway.postgresql import PostgresCluster
from tests.throwaway.programs import CHROMIUM, MissingProgramError, locate
from tests.throwaway.redis_server import RedisServer

NO_TESTS_COLLECTED = 5


@dataclass(frozen=True, kw_only=True)
class Pass:
    """One run of pytest: which tests, and against which stores."""

    title: str
    marks: str
    environment: Mapping[str, str]
    folder: str = "tests"


@dataclass(frozen=True, kw_only=True)
class Tally:
    """What came of a pass. A crash of pytest itself counts as one failure."""

    title: str
    passed: int
    failed: int
    skipped: int
    seconds: float

    def __str__(self) -> str:
        counts = f"{self.passed} passed, {self.failed} failed"
        return f"{counts}, {self.skipped} skipped" if self.skipped else counts


def main(paths: Sequence[str]) -> int:
    # A shell starts background jobs with SIGINT ignored, and children inherit that.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    started = time.monotonic()
    with ExitStack() as cleanup:
        folder = Path(cleanup.enter_context(tempfile.TemporaryDirectory(prefix="quintet-tests-")))
        try:
            passes = [*_passes(cleanup, folder)]
        except MissingProgramError as error:
            _say(str(error))
            return 1
        tallies = [_run(one, paths, folder) for one in passes]
    return report_summary(tallies, time.monotonic() - started)


def _passes(cleanup: ExitStack, folder: Path) -> Sequence[Pass]:
    locate(CHROMIUM)
    postgres = cleanup.enter_context(PostgresCluster())
    redis = cleanup.enter_context(RedisServer())
    alone = {"DATABASE_URL": f"sqlite:///{folder / 'quintet.sqlite3'}", "REDIS_URL": ""}
    servers = {"DATABASE_URL": postgres.url, "REDIS_URL": redis.url}
    return (
        Pass(title="SQLite, one process", marks="not e2e", environment=alone),
        Pass(title="PostgreSQL and Redis", marks="stores or scenarios", environment=servers),
        Pass(title="browser", marks="e2e", environment=alone, folder="tests/e2e"),
    )


def _run(one: Pass, paths: Sequence[str], folder: Path) -> Tally:
    _say(f"\n=== {one.title} ===")
    started = time.monotonic()
    report = folder / f"{one.title}.xml"
    command = [
        sys.executable, "-m", "pytest", "-q", "-m", one.marks, "-n", str(os.cpu_count() or 1),
        "--dist", "worksteal", "--junitxml", str(report), *(paths or [one.folder]),
    ]  # fmt: skip
    environment = {**os.environ, "QUINTET_VAR": str(folder), **one.environment}
    with subprocess.Popen(command, env=environment) as process:
        status = _wait(process)
    return count_outcomes(one.title, report, status, time.monotonic() - started)


def _wait(process: subprocess.Popen[bytes]) -> int:
    """The exit status. Interrupted, wait until pytest has ended what it started."""
    try:
        return process.wait()
    except KeyboardInterrupt:
        process.wait()
        sys.exit(128 + signal.SIGINT)
    except SystemExit:
        process.send_signal(signal.SIGINT)
        process.wait()
        raise


def count_outcomes(title: str, report: Path, status: int, seconds: float) -> Tally:
    root = ElementTree.parse(report).getroot() if report.exists() else None  # noqa: S314 -- pytest's own
    counts = [
        {name: int(suite.get(name, 0)) for name in ("tests", "failures", "errors", "skipped")}
        for suite in (() if root is None else root.iter("testsuite"))
    ]
    failed = sum(count["failures"] + count["errors"] for count in counts)
    skipped = sum(count["skipped"] for count in counts)
    passed = sum(count["tests"] for count in counts) - failed - skipped
    if status not in (0, NO_TESTS_COLLECTED) and failed == 0:
        failed = 1
    return Tally(title=title, passed=passed, failed=failed, skipped=skipped, seconds=seconds)


def report_summary(tallies: Sequence[Tally], seconds: float) -> int:
    _say("\n=== summary ===")
    for tally in tallies:
        _say(f"{tally.title:<22} {tally!s:<36} {tally.seconds:5.0f} s")
    total = Tally(
        title="total",
        passed=sum(tally.passed for tally in tallies),
        failed=sum(tally.failed for tally in tallies),
        skipped=sum(tally.skipped for tally in tallies),
        seconds=seconds,
    )
    _say(f"{total.title:<22} {total!s:<36} {total.seconds:5.0f} s\n{total}")
    return 0 if total.passed and not total.failed else 1


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
