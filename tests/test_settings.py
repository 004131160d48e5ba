"""`.env.example` is the settings' documentation: the same names, the same order, the same defaults."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
EXAMPLE = (ROOT / ".env.example").read_text()
ASSIGNMENT = re.compile(r"^(#?)([A-Z_]+)=(.*)$", re.MULTILINE)


def documented() -> list[str]:
    return [name for _hidden, name, _value in ASSIGNMENT.findall(EXAMPLE)]


def assigned() -> dict[str, str]:
    """What a copy of the example sets."""
    return {name: value for hidden, name, value in ASSIGNMENT.findall(EXAMPLE) if not hidden}


def env_calls() -> list[ast.Call]:
    """The calls `env("NAME", …)`, `env.int("NAME", …)` … of the settings, from top to bottom."""
    tree = ast.parse((ROOT / "platform/config/settings.py").read_text())
    calls = [node for node in ast.walk(tree) if isinstance(node, ast.Call) and _reads_env(node)]
    return sorted(calls, key=lambda call: call.lineno)


def _reads_env(call: ast.Call) -> bool:
    function = call.func.value if isinstance(call.func, ast.Attribute) else call.func
    names_a_variable = bool(call.args) and isinstance(call.args[0], ast.Constant)
    return isinstance(function, ast.Name) and function.id == "env" and names_a_variable


def _name(call: ast.Call) -> str:
    return ast.literal_eval(call.args[0])  # type: ignore[no-any-return]


def test_the_example_names_every_setting_in_the_order_of_the_settings_file() -> None:
    assert documented() == [_name(call) for call in env_calls()]


def test_a_copy_of_the_example_changes_no_setting(tmp_path: Path) -> None:
    unset = {name: value for name, value in os.environ.items() if name not in documented()}
    unset["QUINTET_VAR"] = str(tmp_path)

    assert settings_under({**unset, **assigned()}) == settings_under(unset)


def settings_under(environment: dict[str, str]) -> str:
    """Every setting as a fresh process reads it."""
    show = (
        "from config import settings as s;"
        "print(sorted((n, v) for n, v in vars(s).items() if n.isupper() and n not in ('UNFOLD', 'LANGUAGES')))"
    )
    command = [sys.executable, "-c", f"import sys; sys.path.insert(0, 'platform'); {show}"]
    return subprocess.run(
        command, cwd=ROOT, env=environment, check=True, capture_output=True, text=True
    ).stdout


@pytest.mark.parametrize("name", documented())
def test_the_example_explains_the_setting(name: str) -> None:
    """A comment stands above a setting or above its neighbours."""
    block = next(
        block for block in EXAMPLE.split("\n\n") if re.search(f"^#?{name}=", block, re.MULTILINE)
    )

    assert block.startswith("# ")


def test_nothing_but_the_project_package_reads_the_environment() -> None:
    """There, other files than the settings only hand it on to Django and to child processes."""
    readers = [
        str(path.relative_to(ROOT))
        for folder in ("agents", "apps", "memory", "tools")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"os\.(environ|getenv)", path.read_text())
    ]

    assert not readers
