"""Simplified Chinese: the catalogue is whole, and pages speak it throughout."""

import ast
import re
from collections.abc import Iterable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import polib  # type: ignore[import-untyped]
import pytest
import unfold
from django.contrib.auth.models import Group
from django.test import Client
from django.urls import reverse
from django.utils.translation import gettext, override, templatize

from apps.accounts.models import User
from apps.accounts.roles import OPERATORS
from apps.studio.drafts import create_app
from apps.studio.models import App

ROOT = Path(__file__).resolve().parents[1]
SOURCES = [ROOT / name for name in ("apps", "platform", "templates")]
UNFOLD = Path(unfold.__file__).parent
THEME = [UNFOLD / name for name in ("templates", "contrib/filters", "contrib/forms")]
CATALOGUE = polib.pofile(str(ROOT / "locale/zh_Hans/LC_MESSAGES/django.po"))
ENTRIES = [entry for entry in CATALOGUE if not entry.obsolete]
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|%[a-z]|\{\w*\}|<[^>]+>")
CHINESE = re.compile(r"[\u4e00-\u9fff]")
MARKS = {"_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy"}
TEMPLATE_TEXT = re.compile(r"""gettext\((u?(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"))""")
# Names, which are the same in every language.
NAMES = {"Quintet", "Guide · Quintet", "English", "Guide", "olga", "Top p"}
# Never shown: the theme's search over all models is off.
SEARCH_RESULTS = "Found %(counter)s result in %(time)s seconds"
READ_ALOUD = {"alt", "aria-label", "placeholder", "title"}


def translations(entry: polib.POEntry) -> list[str]:
    return [*entry.msgstr_plural.values()] if entry.msgid_plural else [entry.msgstr]


def loses(entry: polib.POEntry, text: str) -> bool:
    original = entry.msgid_plural or entry.msgid
    return sorted(PLACEHOLDER.findall(original)) != sorted(PLACEHOLDER.findall(text))


def texts_of_python(source: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in MARKS:
            match node.args[0]:
                case ast.Constant(value=str(text)):
                    yield text


def texts_of_template(source: str) -> Iterator[str]:
    yield from map(ast.literal_eval, TEMPLATE_TEXT.findall(templatize(source)))


def texts_in(folders: Iterable[Path]) -> set[str]:
    texts: set[str] = set()
    for path in (path for folder in folders for path in folder.rglob("*")):
        if path.suffix == ".py":
            texts |= {*texts_of_python(path.read_text())}
        elif path.suffix == ".html":
            texts |= {*texts_of_template(path.read_text())}
    return texts


class ReadTexts(HTMLParser):
    """What a person reads or hears of a page."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.texts: set[str] = set()
        self._is_read = True
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.texts |= {value or "" for name, value in attrs if name in READ_ALOUD}
        is_icon = "material-symbols" in (dict(attrs).get("class") or "")
        self._is_read = not is_icon and tag not in {"script", "style"}

    def handle_endtag(self, tag: str) -> None:
        self._is_read = True

    def handle_data(self, data: str) -> None:
        if self._is_read:
            self.texts.add(data.strip())


def english_on(page: str) -> set[str]:
    """Texts with a Latin word and nothing Chinese, names aside."""
    texts = ReadTexts(page).texts - NAMES
    return {text for text in texts if re.search("[A-Za-z]{2}", text) and not CHINESE.search(text)}


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The catalogue as it is in the source, not as it was when it was last compiled."""
    locale = tmp_path_factory.mktemp("locale")
    target = locale / "zh_Hans/LC_MESSAGES/django.mo"
    target.parent.mkdir(parents=True)
    CATALOGUE.save_as_mofile(str(target))
    return locale


@pytest.fixture
def chinese(compiled: Path, settings: Any) -> Client:
    """A browser that asks for Chinese."""
    settings.LOCALE_PATHS = [compiled]
    return Client(headers={"accept-language": "zh-CN,zh;q=0.9"})


@pytest.fixture
def operator(chinese: Client, db: None) -> User:
    """Who has signed in at that browser."""
    person = User.objects.create_user("olga")
    person.groups.add(Group.objects.get_or_create(name=OPERATORS)[0])
    chinese.force_login(person, backend="apps.accounts.roles.RoleBackend")
    return person


@pytest.fixture
def app(operator: User) -> App:
    return create_app(owner=operator, slug="guide", name="Guide")


def test_every_text_has_a_translation() -> None:
    untranslated = [entry.msgid for entry in ENTRIES if entry.fuzzy or not all(translations(entry))]

    assert untranslated == []


def test_every_translation_keeps_the_placeholders() -> None:
    assert [text for entry in ENTRIES for text in translations(entry) if loses(entry, text)] == []


def test_every_text_in_the_sources_is_in_the_catalogue() -> None:
    missing = texts_in(SOURCES) - {entry.msgid for entry in ENTRIES}

    assert not missing, "run `make messages` and translate what is new"


def test_every_text_of_the_admins_theme_is_translated_by_us_or_by_django(chinese: Client) -> None:
    with override("zh-hans"):
        english = {text for text in texts_in(THEME) if gettext(text) == text}

    assert {text.strip() for text in english} == {SEARCH_RESULTS}


def test_the_sign_in_page_is_chinese(chinese: Client, db: None) -> None:
    page = chinese.get(reverse("login")).content.decode()

    assert "登录" in page
    assert english_on(page) == set()


def test_the_chat_page_is_chinese(chinese: Client, app: App) -> None:
    page = chinese.get(reverse("chat", args=[app.slug])).content.decode()

    assert "新对话" in page
    assert english_on(page) == set()


def test_the_admins_first_page_is_chinese(chinese: Client, operator: User) -> None:
    page = chinese.get(reverse("admin:index")).content.decode()

    assert "模型服务商" in page
    assert english_on(page) == set()


def test_an_apps_page_in_the_admin_is_chinese(chinese: Client, app: App) -> None:
    page = chinese.get(reverse("admin:studio_app_change", args=[app.pk])).content.decode()

    assert "预设提示词" in page
    assert english_on(page) == set()
