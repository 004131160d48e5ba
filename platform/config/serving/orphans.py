"""Processes that end with the one that started them, also when that one was killed."""

import os
import signal
import threading
import time

PARENT = "QUINTET_SERVE_PID"


def end_with_parent(**_signal: object) -> None:
    """Where `serve` started this process: terminate it as soon as `serve` is gone."""
    parent = os.environ.get(PARENT)
    if parent:
        threading.Thread(target=_watch, args=[int(parent)], name="parent", daemon=True).start()


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(1)
    while True:  # Celery loses signals that come while it starts
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(1)
