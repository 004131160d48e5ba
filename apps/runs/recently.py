"""What was done in the last seconds, so that it is not done again."""

import threading
import time


class Recently:
    """Remembers keys for `seconds`, the newest `most` of them. From any thread."""

    def __init__(self, *, seconds: float, most: int = 10_000) -> None:
        self._seconds = seconds
        self._most = most
        self._lock = threading.Lock()
        self._added_at: dict[str, float] = {}

    def add(self, key: str) -> bool:
        """Remember `key`; False when it is remembered already."""
        with self._lock:
            self._forget_old()
            if key in self._added_at:
                return False
            self._added_at[key] = time.monotonic()
            return True

    def discard(self, key: str) -> None:
        with self._lock:
            self._added_at.pop(key, None)

    def _forget_old(self) -> None:
        oldest_allowed = time.monotonic() - self._seconds
        while self._added_at:
            oldest, added_at = next(iter(self._added_at.items()))
            if added_at > oldest_allowed and len(self._added_at) < self._most:
                return
            del self._added_at[oldest]
