"""`manage.py serve`: the whole site in one command."""

from typing import Any

from cryptography.fernet import Fernet
from daphne.server import Server  # noqa: F401 -- before all of Twisted: it chooses the reactor
from django.conf import settings
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand, CommandParser

from config.serving.background import make_background
from config.serving.stores import check_stores
from config.serving.web_server import WebServer

EXECUTORS = ("in_process", "celery")


class Command(BaseCommand):
    """Migrates, seeds a fresh site, then serves web, runs and background duties until it is told to end."""

    help = "Start the site: web server, runs and background duties."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--web-only",
            action="store_true",
            help="Serve the web alone: migrations, workers and beat run elsewhere.",
        )

    def handle(self, *_args: Any, web_only: bool, **_options: Any) -> None:
        check_executor()
        check_keys()
        check_stores()
        if not web_only:
            call_command("migrate", interactive=False, verbosity=0)
        call_command("demo", verbosity=0)
        background = make_background(is_elsewhere=web_only)
        server = WebServer(background, tell=self._tell)
        if not server.run():
            raise CommandError(
                f"Port {settings.PORT} of {settings.HOST} cannot be listened on. Set PORT to a free one."
            )

    def _tell(self, sentence: str) -> None:
        self.stdout.write(sentence)
        self.stdout.flush()


def check_executor() -> None:
    """Raises CommandError for a home that runs cannot have here."""
    if settings.RUN_EXECUTOR not in EXECUTORS:
        raise CommandError(
            f"RUN_EXECUTOR is {settings.RUN_EXECUTOR!r}; it must be one of {', '.join(EXECUTORS)}."
        )
    if settings.RUN_EXECUTOR == "celery" and not settings.REDIS_URL:
        raise CommandError(
            "RUN_EXECUTOR=celery needs Redis: set REDIS_URL, or leave RUN_EXECUTOR at in_process."
        )


def check_keys() -> None:
    """Raises CommandError for a key that could encrypt nothing."""
    try:
        for key in settings.FIELD_ENCRYPTION_KEYS:
            Fernet(key)
    except ValueError as error:
        raise CommandError(
            "FIELD_ENCRYPTION_KEYS must hold keys of 32 bytes in URL-safe base64, separated by commas. "
            "Leave it empty to have one made."
        ) from error
