"""What the container files say fits the code: commands, queues, where data lives."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

from config import celery, settings

ROOT = Path(__file__).resolve().parents[1]
COMPOSE = (ROOT / "docker-compose.yml").read_text()
DOCKERFILE = (ROOT / "Dockerfile").read_text()
COMMANDS: list[list[str]] = [
    ast.literal_eval(line) for line in re.findall(r"command: (\[.*\])", COMPOSE)
]


@pytest.mark.parametrize(
    "command", [words[1:] for words in COMMANDS if words[0] == "python"], ids=" ".join
)
def test_a_management_command_of_the_composition_exists_with_its_options(
    command: list[str],
) -> None:
    shown = subprocess.run(
        [sys.executable, *command[:2], "--help"],
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    ).stdout

    assert not [word for word in command[2:] if word not in shown]


def test_every_queue_has_a_worker() -> None:
    served = [words[words.index("--queues") + 1] for words in COMMANDS if "--queues" in words]
    routed = {route["queue"] for route in settings.CELERY_TASK_ROUTES.values()}

    assert set(served) == routed | {celery.app.conf.task_default_queue}


def test_the_image_holds_every_part_of_the_product() -> None:
    kept = set(re.findall(r"^!([\w.]+)$", (ROOT / ".dockerignore").read_text(), re.MULTILINE))

    assert kept >= {
        "agents",
        "apps",
        "locale",
        "manage.py",
        "memory",
        "platform",
        "templates",
        "tools",
    }


def test_nobody_in_a_container_is_root() -> None:
    assert re.search(r"^USER (?!root)\w+$", DOCKERFILE, re.MULTILINE)
    assert "no-new-privileges" in COMPOSE


def test_what_is_kept_lies_in_the_volume() -> None:
    (folder,) = re.findall(r"QUINTET_VAR: (\S+)", COMPOSE)

    assert f"quintet:{folder}" in COMPOSE
    assert f"VOLUME {folder}" in DOCKERFILE
