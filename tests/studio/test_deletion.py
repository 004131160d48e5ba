"""What is used stays, and says by whom."""

from collections.abc import Callable
from typing import Any

import pytest

from apps.accounts.callers import caller_for_user
from apps.accounts.models import User
from apps.conversations.models import Conversation, Entry
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.deletion import AppWasUsed, AssetInUse, delete_app, delete_asset
from apps.studio.drafts import change_draft
from apps.studio.models import App, AppConfig
from apps.studio.publishing import publish
from apps.toolbox.models import Tool

ASSETS: dict[str, Callable[[], ModelProvider | LanguageModel | Tool]] = {
    "provider": lambda: ModelProvider.objects.get(name="Acme"),
    "model": lambda: LanguageModel.objects.get(name="large/v2"),
    "auxiliary model": lambda: LanguageModel.objects.get(name="small"),
    "tool": lambda: Tool.objects.get(name="clock"),
}
WITHOUT: dict[str, Any] = {"model": None, "auxiliary_model": None, "tools": []}


@pytest.mark.parametrize("asset", ASSETS)
def test_an_asset_that_a_draft_uses_stays(full_app: App, asset: str) -> None:
    with pytest.raises(AssetInUse) as refusal:
        delete_asset(ASSETS[asset]())

    assert refusal.value.users == ["travel@draft"]
    assert ASSETS[asset]()


@pytest.mark.parametrize("asset", ASSETS)
def test_an_asset_that_only_a_version_uses_stays(full_app: App, owner: User, asset: str) -> None:
    publish(full_app, revision=2, user=owner)
    change_draft(full_app, revision=3, changes=WITHOUT)

    with pytest.raises(AssetInUse) as refusal:
        delete_asset(ASSETS[asset]())

    assert refusal.value.users == ["travel@1"]
    assert ASSETS[asset]()


@pytest.mark.parametrize("asset", ASSETS)
def test_an_asset_that_nothing_uses_goes(full_app: App, asset: str) -> None:
    change_draft(full_app, revision=2, changes=WITHOUT)
    row = ASSETS[asset]()

    delete_asset(row)

    assert not type(row).objects.filter(name=row.name).exists()


def test_a_provider_takes_its_unused_models_along(
    provider: ModelProvider, model: LanguageModel
) -> None:
    delete_asset(provider)

    assert not LanguageModel.objects.exists()


def test_a_published_app_that_nobody_used_goes_with_its_versions(
    full_app: App, owner: User
) -> None:
    publish(full_app, revision=2, user=owner)
    full_app.refresh_from_db()

    delete_app(full_app)

    assert not App.objects.exists()
    assert not AppConfig.objects.exists()


def test_an_app_that_was_used_stays_with_its_versions(full_app: App, owner: User) -> None:
    publish(full_app, revision=2, user=owner)
    full_app.refresh_from_db()
    for _number in range(2):
        Conversation.objects.create(
            app=full_app, caller=caller_for_user(owner), entry=Entry.WEB, title="private"
        )

    with pytest.raises(AppWasUsed, match="2 conversations") as refusal:
        delete_app(full_app)

    assert "private" not in str(refusal.value)
    assert full_app.configs.count() == 2
