"""The layout's traps: names that would shadow other packages, processes that must find `platform/`."""

import ast
import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.apps import apps

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("agents", "apps", "memory", "platform", "tools", "tests")
SUBJECTLESS = {"utils", "helpers", "common", "misc", "services", "managers", "base"}
TAKEN_LABELS = {"sessions", "messages", "admin", "auth", "channels", "celery"}
FILES = sorted(path for folder in SOURCES for path in (ROOT / folder).rglob("*.py"))


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run in the root as people do, without the import path that this test run has."""
    clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        command, cwd=ROOT, env=clean | environment, check=False, capture_output=True, text=True
    )


def test_platform_holds_the_project_package_and_nothing_else() -> None:
    entries = {path.name for path in (ROOT / "platform").iterdir()} - {"__pycache__"}

    assert entries == {"README.md", "config"}


def test_the_standard_librarys_platform_is_what_a_process_in_the_root_imports() -> None:
    shown = run(sys.executable, "-c", "import platform; print(platform.system())")

    assert shown.stdout.strip() == os.uname().sysname


@pytest.mark.parametrize(
    ("command", "path"),
    [
        pytest.param(["manage.py", "version"], "", id="manage.py"),
        pytest.param(["-m", "celery", "-A", "config", "report"], ".:platform", id="celery"),
        pytest.param(["-c", "import config.asgi"], ".:platform", id="ASGI server"),
        pytest.param(["-m", "pytest", "--collect-only", "-q", __file__], "", id="pytest"),
    ],
)
def test_a_process_finds_the_project_package(command: list[str], path: str) -> None:
    """manage.py and pytest by themselves; others with the PYTHONPATH that the Dockerfile sets."""
    environment = {"DJANGO_SETTINGS_MODULE": "config.settings"}
    ended = run(sys.executable, *command, **environment, **({"PYTHONPATH": path} if path else {}))

    assert ended.returncode == 0, ended.stderr


def test_a_files_name_says_its_subject() -> None:
    names = {part.removesuffix(".py") for path in FILES for part in path.relative_to(ROOT).parts}

    assert not names & SUBJECTLESS


def test_no_app_takes_the_label_of_a_library() -> None:
    own = {config.label for config in apps.get_app_configs() if config.name.startswith("apps.")}

    assert own
    assert not own & TAKEN_LABELS


def test_no_top_level_package_is_also_installed() -> None:
    """`openai-agents` would bring a second `agents`."""
    site_packages = Path(os.__file__).parent / "site-packages"
    installed = {path.name for path in site_packages.iterdir()} if site_packages.exists() else set()

    assert not installed & {"agents", "apps", "config", "memory", "tools", "tests"}


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(ROOT)))
def test_djangos_appconfig_is_imported_by_another_name(path: Path) -> None:
    """`AppConfig` is the model of an App's configuration."""
    imported = {
        alias.asname or alias.name
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom) and node.module == "django.apps"
        for alias in node.names
    }

    assert "AppConfig" not in imported


def test_package_files_are_nearly_empty() -> None:
    longest = {
        str(path.relative_to(ROOT)): len(path.read_text().splitlines())
        for path in FILES
        if path.name == "__init__.py"
    }

    assert not {name: lines for name, lines in longest.items() if lines > 5}


@pytest.mark.parametrize("folder", ["agents", "apps", "memory", "tools", "platform/config"])
def test_every_folder_of_the_product_is_a_package(folder: str) -> None:
    folders = {path.parent for path in (ROOT / folder).rglob("*.py")}

    assert not [str(one) for one in folders if not (one / "__init__.py").exists()]
