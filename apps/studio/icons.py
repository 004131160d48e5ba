"""How wide an App's icon is drawn."""

import unicodedata

WIDEST_ICON = 2
JOINER = "\u200d"
SKIN_TONES = range(0x1F3FB, 0x1F400)
REGIONAL_LETTERS = range(0x1F1E6, 0x1F200)
TAGS = range(0xE0000, 0xE0080)


def count_characters(text: str) -> int:
    """About as many as a reader sees: joined emoji are one, and so are a flag and a letter with its accents."""
    count = flag_letters = 0
    before = ""
    for character in text:
        if ord(character) in REGIONAL_LETTERS:
            flag_letters += 1
        elif before != JOINER and not _is_attached(character):
            count += 1
        before = character
    return count + (flag_letters + 1) // 2


def _is_attached(character: str) -> bool:
    code = ord(character)
    is_mark = unicodedata.category(character).startswith("M")
    return is_mark or character == JOINER or code in SKIN_TONES or code in TAGS
