"""`manage.py demo`: what a fresh site needs to be tried out. Safe to repeat; nothing is ever overwritten."""

import secrets
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError

from apps.accounts.api_keys import create_api_key, digest_of
from apps.accounts.models import ApiKey, User
from apps.accounts.roles import OPERATORS
from apps.providers.environment import add_named_providers
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.drafts import change_draft, create_app
from apps.studio.models import App
from apps.studio.publishing import publish

# What people see of the demo Apps; their models are named like them.
NATIVE_APP = {
    "slug": "demo",
    "name": "Demo",
    "icon": "🎻",
    "description": "Answers without a key: it tells the time and calculates.",
}
REACT_APP = {
    "slug": "demo-react",
    "name": "Demo (ReAct)",
    "icon": "🪢",
    "description": "The same by ReAct, for models that cannot call tools by themselves: it asks for them in its text.",
}


class Command(BaseCommand):
    """The first operator, key and model services of the environment, the demo model and its two Apps."""

    help = "Seed a fresh site with an operator, a demo model and demo Apps."

    def handle(self, *_args: Any, **_options: Any) -> None:
        operator = self._first_operator()
        if settings.QUINTET_API_KEY and not _is_known(settings.QUINTET_API_KEY):
            _create_key(operator)
        _connect_models()
        if not App.objects.exists():
            make_demo_apps(operator)

    def _first_operator(self) -> User:
        operator = User.objects.filter(is_superuser=True).order_by("pk").first()
        if operator is not None:
            return operator
        password = settings.QUINTET_ADMIN_PASSWORD or secrets.token_urlsafe(12)
        operator = User.objects.create_superuser("admin", password=password)
        operator.groups.add(Group.objects.get(name=OPERATORS))
        if not settings.QUINTET_ADMIN_PASSWORD:
            self.stdout.write(f"First operator: admin, password: {password} (shown only now)")
        return operator


def _is_known(secret: str) -> bool:
    return ApiKey.objects.filter(digest=digest_of(secret)).exists()


def _create_key(operator: User) -> None:
    """The key of the environment, with every scope; raises CommandError for one that is too short."""
    try:
        create_api_key(
            user=operator,
            name="QUINTET_API_KEY",
            secret=settings.QUINTET_API_KEY,
            can_manage=True,
            can_read_usage=True,
        )
    except ValidationError as error:
        raise CommandError(f"QUINTET_API_KEY: {error.messages[0]}") from error


def _connect_models() -> None:
    """The model services of the environment; raises CommandError for an address that is none."""
    try:
        add_named_providers()
    except ValidationError as error:
        raise CommandError(
            f"OPENAI_BASE_URL or OLLAMA_BASE_URL: {' '.join(error.messages)}"
        ) from error


def make_demo_apps(operator: User) -> None:
    """One App for each way of calling tools, both on the built-in model that needs no key."""
    provider, _ = ModelProvider.objects.get_or_create(
        name="demo", defaults={"kind": ModelProvider.Kind.DEMO}
    )
    for is_native, shown in ((True, NATIVE_APP), (False, REACT_APP)):
        LanguageModel.objects.get_or_create(
            provider=provider, name=shown["slug"], defaults={"tool_call": is_native}
        )
        app = create_app(owner=operator, visibility=App.Visibility.SITE, **shown)
        _publish_demo(app, model=f"demo/{shown['slug']}")


def _publish_demo(app: App, *, model: str) -> None:
    draft = change_draft(
        app,
        revision=1,
        changes={
            "model": model,
            "tools": ["current_time", "calculator"],
            "opening_statement": "Hello! I am a built-in demo model. Ask me for the time, or give me a sum.",
            "opening_questions": [
                "What time is it in Tokyo?",
                "What is (17 + 4) * 3.5?",
                "Tell me a long story",
            ],
        },
    )
    publish(app, revision=draft.revision, user=app.owner)
