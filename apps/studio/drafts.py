"""The draft of an App: made with it, changed only by somebody who saw its present revision."""

from collections.abc import Mapping
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F
from django.db.models.functions import Now
from django.utils.translation import gettext as _
from rest_framework import serializers

from apps.accounts.models import User
from apps.studio.models import App, AppConfig
from apps.studio.schema import (
    ROW_RELATIONS,
    AppConfigSerializer,
    configs_with_content,
    write_rows,
)


class StaleRevision(Exception):
    """The draft moved on: the change was made from revision `given`, the draft is at `current`."""

    def __init__(self, *, given: int, current: int) -> None:
        super().__init__(
            _(
                "The draft is at revision %(current)d, but this change was made from revision "
                "%(given)d. Read the draft again and repeat the change."
            )
            % {"current": current, "given": given}
        )
        self.given = given
        self.current = current


@transaction.atomic
def create_app(*, owner: User, slug: str, name: str, **fields: Any) -> App:
    """A new App with its empty draft at revision 1. Raises ValidationError by field."""
    app = App(owner=owner, slug=slug, name=name, **fields)
    app.full_clean()
    app.save()
    AppConfig.objects.create(app=app)
    return app


def draft_of(app: App) -> AppConfig:
    """The draft with its content."""
    return configs_with_content().get(app=app, state=AppConfig.State.DRAFT)


def change_draft(app: App, *, revision: int, changes: Mapping[str, Any]) -> AppConfig:
    """Set the named fields (as `schema.py` spells them); all others stay. The revision rises by one.

    Raises StaleRevision, or ValidationError by field; then nothing is changed. The changes are checked before
    the transaction begins, so that long ones keep no other writer waiting.
    """
    values = read_changes(changes)
    rows = {name: values.pop(name) for name in ROW_RELATIONS if name in values}
    with transaction.atomic():
        draft = claim_revision(app, revision=revision, **values)
        write_rows(draft, rows)
        return draft_of(app)


def read_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """The values to store, by column and relation. Raises ValidationError by field."""
    serializer = AppConfigSerializer(data=changes, partial=True)
    if not serializer.is_valid():
        raise ValidationError(_messages_by_field(serializer))
    return dict(serializer.validated_data)


def claim_revision(app: App, *, revision: int, **columns: Any) -> AppConfig:
    """Raise the draft's revision from exactly `revision`, setting `columns` in the same statement.

    The comparison is part of the UPDATE, so of any number of writers one wins; until the transaction ends
    the row is locked for all others.
    """
    drafts = AppConfig.objects.filter(app=app, state=AppConfig.State.DRAFT)
    claimed = drafts.filter(revision=revision).update(
        revision=F("revision") + 1, updated_at=Now(), **columns
    )
    draft = drafts.get()
    if not claimed:
        raise StaleRevision(given=revision, current=draft.revision)
    return draft


def _messages_by_field(serializer: serializers.Serializer[Any]) -> dict[str, list[str]]:
    return {field: list(_flatten(detail)) for field, detail in serializer.errors.items()}


def _flatten(detail: Any, path: str = "") -> list[str]:
    if isinstance(detail, Mapping):
        return [text for key, value in detail.items() for text in _flatten(value, f"{path}{key}: ")]
    if isinstance(detail, list):
        return [text for item in detail for text in _flatten(item, path)]
    return [f"{path}{detail}"]
