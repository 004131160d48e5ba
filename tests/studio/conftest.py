"""An App that could be published, with everything its configuration can name."""

import pytest

from apps.accounts.models import User
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.drafts import change_draft, create_app
from apps.studio.models import App
from apps.toolbox.models import Tool

FULL = {
    "model": "Acme/large/v2",
    "auxiliary_model": "Acme/small",
    "temperature": 0.3,
    "top_p": 0.9,
    "max_tokens": 500,
    "parameters": {"seed": 7, "nested": {"b": 1, "a": [1, 2]}},
    "preset_prompt": "You book trains.\nBe brief.",
    "tools": ["search", "clock", "adder"],
    "dialog_round": 4,
    "history_mode": "full",
    "long_term_memory": True,
    "opening_statement": "你好!",
    "opening_questions": ["Where to?", "When?"],
    "review_keywords": [
        {"direction": "output", "keyword": "secret"},
        {"direction": "input", "keyword": "bomb"},
    ],
    "review_input_response": "No.",
    "review_output_response": "Removed.",
    "max_iterations": 5,
    "max_tool_calls": 9,
    "turn_timeout": 60,
    "on_busy": "reject",
    "show_steps": "names",
}


@pytest.fixture
def owner(db: None) -> User:
    return User.objects.create_user("olga")


@pytest.fixture
def provider(db: None) -> ModelProvider:
    return ModelProvider.objects.create(name="Acme")


@pytest.fixture
def model(provider: ModelProvider) -> LanguageModel:
    return LanguageModel.objects.create(provider=provider, name="large/v2")


@pytest.fixture
def auxiliary_model(provider: ModelProvider) -> LanguageModel:
    return LanguageModel.objects.create(provider=provider, name="small")


@pytest.fixture
def tools(db: None) -> list[Tool]:
    return [
        Tool.objects.create(name=name, source="builtin", risk="safe", description=name)
        for name in ("adder", "clock", "search")
    ]


@pytest.fixture
def app(owner: User) -> App:
    return create_app(owner=owner, slug="travel", name="Travel desk")


@pytest.fixture
def full_app(
    app: App, model: LanguageModel, auxiliary_model: LanguageModel, tools: list[Tool]
) -> App:
    """Every field differs from its default; the draft is at revision 2."""
    change_draft(app, revision=1, changes=FULL)
    return app
