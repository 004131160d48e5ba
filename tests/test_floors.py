"""Versions below which a known hole is open: the locks must not fall under them."""

import re
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

REQUIREMENTS = Path(__file__).resolve().parents[1] / "requirements"
LOCKS = ("base.txt", "dev.txt", "community.txt")
FLOORS = {
    "daphne": "4.2.2",
    "django": "5.2.19",
    "djangorestframework": "3.18.2",
}
UNWANTED = {
    "langchain-mcp-adapters": "pins an mcp with known holes",
    "litellm": "had compromised releases",
    "openai-agents": "installs a top-level package `agents`",
}


def locked(lock: str) -> dict[str, Version]:
    """Name → version of every package in a lock."""
    pins = re.findall(
        r"^([\w.\-\[\]]+)==([^\s;]+)", (REQUIREMENTS / lock).read_text(), re.MULTILINE
    )
    return {re.sub(r"\[.*\]", "", name).lower(): Version(version) for name, version in pins}


@pytest.mark.parametrize(("name", "floor"), FLOORS.items())
def test_a_lock_stands_at_or_above_the_floor(name: str, floor: str) -> None:
    assert locked("base.txt")[name] >= Version(floor)


def test_django_is_the_lts_that_every_supported_python_has() -> None:
    assert locked("base.txt")["django"].release[:2] == (5, 2)


@pytest.mark.parametrize("lock", LOCKS)
def test_a_lock_holds_nothing_unwanted(lock: str) -> None:
    assert not UNWANTED.keys() & locked(lock).keys()


@pytest.mark.parametrize("lock", LOCKS[1:])
def test_every_lock_agrees_with_the_product_about_versions(lock: str) -> None:
    base, other = locked("base.txt"), locked(lock)

    assert {name: other[name] for name in base.keys() & other.keys()} == {
        name: base[name] for name in base.keys() & other.keys()
    }


@pytest.mark.parametrize("lock", LOCKS)
def test_every_pin_has_hashes(lock: str) -> None:
    blocks = re.split(r"\n(?=\w)", (REQUIREMENTS / lock).read_text())

    assert not [block.splitlines()[0] for block in blocks if "--hash=sha256:" not in block]


@pytest.mark.parametrize("source", ["base", "dev", "community"])
def test_every_wanted_package_is_locked(source: str) -> None:
    lines = (REQUIREMENTS / f"{source}.in").read_text().splitlines()
    wanted = [Requirement(line) for line in lines if re.match(r"\w", line)]
    pins = locked(f"{source}.txt")

    assert not [str(one) for one in wanted if pins[one.name.lower()] not in one.specifier]
