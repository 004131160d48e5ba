"""Draft → version → draft."""

import json
import threading
from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.admin.models import LogEntry
from django.core.exceptions import ValidationError
from django.db import IntegrityError, connection, transaction

from apps.accounts.models import User
from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.availability import disable_app
from apps.studio.drafts import StaleRevision, change_draft, draft_of
from apps.studio.models import App, AppConfig, AppConfigTool, ReviewKeyword, VersionIsImmutable
from apps.studio.publishing import publish, restore
from apps.studio.schema import configs_with_content, content_hash, dump_config
from apps.toolbox.models import Tool
from tests.studio.conftest import FULL


def test_publishing_copies_the_draft_and_points_the_app_to_it(full_app: App, owner: User) -> None:
    version = publish(full_app, revision=2, user=owner, note="First")

    full_app.refresh_from_db()
    assert full_app.published_config == version
    assert full_app.status == App.Status.PUBLISHED
    assert (version.version, version.revision, version.note) == (1, 2, "First")
    assert dump_config(version) == FULL
    assert version.content_hash == content_hash(FULL)


def test_versions_are_numbered_without_gaps(full_app: App, owner: User) -> None:
    versions = [
        publish(full_app, revision=draft_of(full_app).revision, user=owner) for _ in range(3)
    ]

    assert [version.version for version in versions] == [1, 2, 3]


def test_publish_then_change_leaves_the_published_content_byte_for_byte(
    full_app: App, owner: User
) -> None:
    version = publish(full_app, revision=2, user=owner)
    before = json.dumps(dump_config(version))

    empty: dict[str, Any] = {"tools": [], "review_keywords": [], "opening_questions": []}
    change_draft(full_app, revision=3, changes={"preset_prompt": "New", "model": None, **empty})

    stored = configs_with_content().get(pk=version.pk)
    assert json.dumps(dump_config(stored)) == before


def test_a_stale_revision_is_not_published(full_app: App, owner: User) -> None:
    with pytest.raises(StaleRevision) as refusal:
        publish(full_app, revision=1, user=owner)

    assert (refusal.value.given, refusal.value.current) == (1, 2)
    assert full_app.configs.filter(state=AppConfig.State.PUBLISHED).count() == 0


@pytest.mark.django_db(transaction=True)
def test_of_20_parallel_publishes_of_one_revision_exactly_one_wins(
    full_app: App, owner: User
) -> None:
    published: list[int | None] = []
    refused: list[StaleRevision] = []
    start = threading.Barrier(20)

    def press_publish() -> None:
        start.wait()
        try:
            published.append(publish(full_app, revision=2, user=owner).version)
        except StaleRevision as refusal:
            refused.append(refusal)
        finally:
            connection.close()

    threads = [threading.Thread(target=press_publish) for _ in range(20)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert published == [1]
    assert {(refusal.given, refusal.current) for refusal in refused} == {(2, 3)}
    assert len(refused) == 19


def _without_model(app: App) -> None:
    AppConfig.objects.filter(app=app).update(model=None)


def _with_disabled_model(app: App) -> None:
    LanguageModel.objects.filter(name="large/v2").update(is_enabled=False)


def _with_disabled_auxiliary_model(app: App) -> None:
    LanguageModel.objects.filter(name="small").update(is_enabled=False)


def _with_disabled_provider(app: App) -> None:
    ModelProvider.objects.update(is_enabled=False)


def _with_disabled_tool(app: App) -> None:
    Tool.objects.filter(name="clock").update(is_enabled=False)


def _with_missing_tool(app: App) -> None:
    Tool.objects.filter(name="clock").update(is_missing=True)


def _without_input_response(app: App) -> None:
    AppConfig.objects.filter(app=app).update(review_input_response=" ")


def _without_output_response(app: App) -> None:
    AppConfig.objects.filter(app=app).update(review_output_response="")


def _with_blank_keyword(app: App) -> None:
    ReviewKeyword.objects.filter(keyword="bomb").update(keyword=" ")


@pytest.mark.parametrize(
    ("spoil", "fields"),
    [
        (_without_model, {"model"}),
        (_with_disabled_model, {"model"}),
        (_with_disabled_auxiliary_model, {"auxiliary_model"}),
        (_with_disabled_provider, {"model", "auxiliary_model"}),
        (_with_disabled_tool, {"tools"}),
        (_with_missing_tool, {"tools"}),
        (_without_input_response, {"review_input_response"}),
        (_without_output_response, {"review_output_response"}),
        (_with_blank_keyword, {"review_keywords"}),
    ],
)
def test_an_incomplete_draft_is_refused_by_field_and_nothing_happens(
    full_app: App, owner: User, spoil: Callable[[App], None], fields: set[str]
) -> None:
    spoil(full_app)

    with pytest.raises(ValidationError) as refusal:
        publish(full_app, revision=2, user=owner)

    assert set(refusal.value.message_dict) == fields
    assert draft_of(full_app).revision == 2
    assert full_app.configs.count() == 1


def test_a_note_that_is_too_long_is_refused_by_name(full_app: App, owner: User) -> None:
    with pytest.raises(ValidationError) as refusal:
        publish(full_app, revision=2, user=owner, note="x" * 501)

    assert list(refusal.value.message_dict) == ["note"]


def test_restoring_copies_a_version_into_the_draft_and_keeps_what_is_published(
    full_app: App, owner: User
) -> None:
    first = publish(full_app, revision=2, user=owner)
    change_draft(full_app, revision=3, changes={"preset_prompt": "New", "tools": ["clock"]})
    second = publish(full_app, revision=4, user=owner)

    draft = restore(full_app, version=1, revision=5, user=owner)

    assert draft.revision == 6
    assert dump_config(draft) == dump_config(first) == FULL
    full_app.refresh_from_db()
    assert full_app.published_config == second


def test_restoring_from_a_stale_revision_changes_nothing(full_app: App, owner: User) -> None:
    publish(full_app, revision=2, user=owner)
    change_draft(full_app, revision=3, changes={"preset_prompt": "New"})

    with pytest.raises(StaleRevision):
        restore(full_app, version=1, revision=3, user=owner)

    assert draft_of(full_app).preset_prompt == "New"


def test_a_version_refuses_to_be_saved_or_deleted(full_app: App, owner: User) -> None:
    version = publish(full_app, revision=2, user=owner)
    version.preset_prompt = "Other"

    with pytest.raises(VersionIsImmutable):
        version.save()
    with pytest.raises(VersionIsImmutable):
        version.delete()


@pytest.mark.parametrize("relation", ["tool_choices", "opening_questions", "review_keywords"])
def test_the_rows_of_a_version_refuse_to_be_saved_or_deleted(
    full_app: App, owner: User, relation: str
) -> None:
    version = publish(full_app, revision=2, user=owner)
    row = getattr(version, relation).first()

    with pytest.raises(VersionIsImmutable):
        row.save()
    with pytest.raises(VersionIsImmutable):
        row.delete()


def test_a_version_takes_no_new_row(full_app: App, owner: User) -> None:
    version = publish(full_app, revision=2, user=owner)

    with pytest.raises(VersionIsImmutable):
        AppConfigTool(config=version, tool=Tool.objects.create(name="late")).save()


def test_the_database_allows_one_draft_per_app(app: App) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        AppConfig.objects.create(app=app)


def test_who_published_and_restored_is_written_down(full_app: App, owner: User) -> None:
    publish(full_app, revision=2, user=owner)
    restore(full_app, version=1, revision=3, user=owner)

    told = LogEntry.objects.order_by("pk").values_list("user__username", "change_message")
    assert list(told) == [
        ("olga", "Published version 1."),
        ("olga", "Restored version 1 into the draft."),
    ]


def test_a_disabled_app_stays_disabled_when_it_is_published(full_app: App, owner: User) -> None:
    disable_app(App.objects.get(pk=full_app.pk), user=owner)

    version = publish(full_app, revision=2, user=owner)

    full_app.refresh_from_db()
    assert full_app.status == App.Status.DISABLED
    assert full_app.published_config == version
