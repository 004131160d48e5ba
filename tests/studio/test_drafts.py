"""The draft and its revision."""

import pytest
from django.core.exceptions import ValidationError

from apps.accounts.models import User
from apps.studio.drafts import StaleRevision, change_draft, create_app, draft_of
from apps.studio.models import App
from apps.studio.schema import dump_config
from tests.studio.conftest import FULL


def test_a_new_app_has_one_empty_draft_at_revision_1(app: App) -> None:
    assert app.status == App.Status.DRAFT
    assert app.configs.count() == 1
    assert draft_of(app).revision == 1


def test_a_taken_slug_is_refused_by_name(app: App, owner: User) -> None:
    with pytest.raises(ValidationError) as refusal:
        create_app(owner=owner, slug=app.slug, name="Another")

    assert list(refusal.value.message_dict) == ["slug"]
    assert App.objects.count() == 1


def test_a_change_touches_only_the_named_fields_and_raises_the_revision(full_app: App) -> None:
    draft = change_draft(full_app, revision=2, changes={"tools": ["clock"], "dialog_round": 1})

    assert draft.revision == 3
    assert dump_config(draft) == FULL | {"tools": ["clock"], "dialog_round": 1}


def test_a_list_can_be_emptied_and_reordered(full_app: App) -> None:
    turned = [*reversed(FULL["review_keywords"])]  # type: ignore[call-overload]

    draft = change_draft(
        full_app, revision=2, changes={"review_keywords": turned, "opening_questions": []}
    )

    assert dump_config(draft)["review_keywords"] == turned
    assert dump_config(draft)["opening_questions"] == []


@pytest.mark.parametrize("given", [1, 3, 0], ids=["older", "newer", "zero"])
def test_a_change_from_another_revision_is_refused_with_both_values(
    full_app: App, given: int
) -> None:
    with pytest.raises(StaleRevision) as refusal:
        change_draft(full_app, revision=given, changes={"dialog_round": 1, "tools": []})

    assert (refusal.value.given, refusal.value.current) == (given, 2)
    assert str(given) in str(refusal.value)
    assert "2" in str(refusal.value)
    assert dump_config(draft_of(full_app)) == FULL
