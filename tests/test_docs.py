"""Documents name files that exist and links that lead somewhere."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FOLDERS = ("agents", "apps", "docs", "memory", "platform", "requirements", "tests", "tools")
PATH = re.compile(rf"`((?:{'|'.join(FOLDERS)})/[\w./-]*)`")
LINK = re.compile(r"\]\(([^)#]+)[^)]*\)")


def named_paths(document: Path) -> list[Path]:
    text = document.read_text()
    linked = [document.parent / link for link in LINK.findall(text) if "://" not in link]
    return linked + [ROOT / path for path in PATH.findall(text)]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_a_document_names_files_that_exist(document: Path) -> None:
    assert not [str(path) for path in named_paths(document) if not path.exists()]


def test_both_readmes_show_the_same_commands() -> None:
    """Code may differ in what is said to the model and in comments."""
    english, chinese = (
        re.findall(
            r"^(?:make|api|base=|export|cp|docker)\b.{0,40}",
            (ROOT / name).read_text(),
            re.MULTILINE,
        )
        for name in ("README.md", "README.zh-CN.md")
    )

    assert [line.split("{")[0].split("  ")[0] for line in english] == [
        line.split("{")[0].split("  ")[0] for line in chinese
    ]
