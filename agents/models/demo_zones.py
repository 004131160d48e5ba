"""The time zone that a question to the demo model names, by its IANA name or by a city."""

import re
from functools import cache
from zoneinfo import available_timezones

CHINESE_CITIES = {
    "北京": "Asia/Shanghai",
    "上海": "Asia/Shanghai",
    "香港": "Asia/Hong_Kong",
    "东京": "Asia/Tokyo",
    "新加坡": "Asia/Singapore",
    "伦敦": "Europe/London",
    "巴黎": "Europe/Paris",
    "柏林": "Europe/Berlin",
    "纽约": "America/New_York",
    "悉尼": "Australia/Sydney",
}


def zone_in(question: str) -> str | None:
    """The first zone or city in the question, as an IANA name."""
    found = _pattern().search(question)
    return _places()[found[0].casefold()] if found else None


@cache
def _places() -> dict[str, str]:
    regional = sorted(name for name in available_timezones() if "/" in name and "Etc/" not in name)
    cities = {name.rpartition("/")[2].replace("_", " "): name for name in regional}
    named = {**cities, **{name: name for name in regional}, **CHINESE_CITIES}
    return {place.casefold(): name for place, name in named.items()}


@cache
def _pattern() -> re.Pattern[str]:
    places = sorted(_places(), key=len, reverse=True)
    latin = "|".join(re.escape(place) for place in places if place.isascii())
    return re.compile(rf"\b(?:{latin})\b|{'|'.join(CHINESE_CITIES)}", re.IGNORECASE)
