"""How many questions one user may ask in a minute, whichever way they come."""

import time

from django.conf import settings
from django.core.cache import cache
from django.utils.translation import gettext as _

from apps.accounts.models import Caller
from apps.runs.refusal import RunRefused

TOO_MANY = "too_many_messages"


def count_question(caller: Caller) -> None:
    """Count one question; raises RunRefused when it exceeds QUESTIONS_PER_MINUTE.

    A sliding window of two counters in the cache; a user's keys and sessions count together.
    """
    minute, passed = divmod(time.time(), 60)
    key = f"questions:{caller.user_id}:{minute:.0f}"
    earlier = cache.get(f"questions:{caller.user_id}:{minute - 1:.0f}", 0)
    cache.add(key, 0, timeout=180)
    if cache.incr(key) + earlier * (1 - passed / 60) > settings.QUESTIONS_PER_MINUTE:
        raise RunRefused(
            TOO_MANY,
            _("More than %(n)d questions in a minute. Wait a moment.")
            % {"n": settings.QUESTIONS_PER_MINUTE},
            429,
        )
