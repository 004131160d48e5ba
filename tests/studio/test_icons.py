"""How many characters of an icon a reader sees."""

import pytest

from apps.studio.icons import count_characters


@pytest.mark.parametrize(
    ("icon", "seen"),
    [
        pytest.param("", 0, id="none"),
        pytest.param("🎻", 1, id="emoji"),
        pytest.param("❤️", 1, id="variation"),
        pytest.param("👩🏽‍🔬", 1, id="joined, with a skin tone"),
        pytest.param("🇨🇳", 1, id="flag"),
        pytest.param("1️⃣", 1, id="keycap"),
        pytest.param("e\u0301", 1, id="accent"),
        pytest.param("QT", 2, id="letters"),
        pytest.param("Travel", 6, id="word"),
    ],
)
def test_an_icon_has_as_many_characters_as_are_seen(icon: str, seen: int) -> None:
    assert count_characters(icon) == seen
