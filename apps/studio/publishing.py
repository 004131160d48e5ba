"""From the draft to an immutable, numbered version, and back."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.providers.models import LanguageModel
from apps.studio.audit import record_act
from apps.studio.drafts import claim_revision, draft_of
from apps.studio.models import App, AppConfig, ReviewKeyword
from apps.studio.schema import (
    columns_of,
    configs_with_content,
    content_hash,
    dump_config,
    rows_of,
    write_rows,
)


@transaction.atomic
def publish(app: App, *, revision: int, user: User, note: str = "") -> AppConfig:
    """Make the draft's content the next version and the App's published one.

    The new version's `revision` names the draft revision it was made from; the draft goes on at the next
    one, so of any number of people who publish one revision one succeeds (dify#40026). Raises StaleRevision,
    or ValidationError with everything that keeps the draft from being published, by field. A disabled App
    stays disabled.
    """
    _check_note(note)
    claim_revision(app, revision=revision)
    draft = draft_of(app)
    check_publishable(draft)
    version = _copy_as_version(draft, revision=revision, user=user, note=note)
    app.published_config = version
    app.refresh_from_db(fields=["status"], from_queryset=App.objects.select_for_update())
    if app.status != App.Status.DISABLED:
        app.status = App.Status.PUBLISHED
    app.save(update_fields=["published_config", "status", "updated_at"])
    record_act(user, app, _("Published version %(n)d.") % {"n": version.version})
    return configs_with_content().get(pk=version.pk)


@transaction.atomic
def restore(app: App, *, version: int, revision: int, user: User) -> AppConfig:
    """Copy a version's content into the draft and return the draft; what is published stays.

    Raises StaleRevision, or AppConfig.DoesNotExist for an unknown version.
    """
    source = configs_with_content().get(app=app, version=version)
    draft = claim_revision(app, revision=revision, **columns_of(source))
    write_rows(draft, rows_of(source))
    record_act(user, app, _("Restored version %(n)d into the draft.") % {"n": version})
    return draft_of(app)


def check_publishable(config: AppConfig) -> None:
    """Raise ValidationError, by field, with all that is missing for people to use this configuration."""
    problems = {
        "model": _model_problems(config.model) if config.model else [_("Choose a model.")],
        "auxiliary_model": _model_problems(config.auxiliary_model)
        if config.auxiliary_model
        else [],
        "tools": _tool_problems(config),
        **_review_problems(config),
    }
    found = {field: texts for field, texts in problems.items() if texts}
    if found:
        raise ValidationError(found)


def _check_note(note: str) -> None:
    try:
        AppConfig._meta.get_field("note").run_validators(note)
    except ValidationError as error:
        raise ValidationError({"note": error.messages}) from error


def _model_problems(model: LanguageModel) -> list[str]:
    problems = []
    if not model.is_enabled:
        problems.append(_("The model %(name)s is disabled.") % {"name": model})
    if not model.provider.is_enabled:
        problems.append(_("The provider %(name)s is disabled.") % {"name": model.provider})
    return problems


def _tool_problems(config: AppConfig) -> list[str]:
    tools = [choice.tool for choice in config.tool_choices.all()]
    return [
        _("The source of the tool %(name)s no longer offers it.") % {"name": tool.name}
        for tool in tools
        if tool.is_missing
    ] + [
        _("The tool %(name)s is disabled.") % {"name": tool.name}
        for tool in tools
        if not tool.is_enabled
    ]


def _review_problems(config: AppConfig) -> dict[str, list[str]]:
    keywords = list(config.review_keywords.all())
    problems: dict[str, list[str]] = {}
    if any(not row.keyword.strip() for row in keywords):
        problems["review_keywords"] = [_("A blank keyword would block everything.")]
    directions = {row.direction for row in keywords}
    responses = {
        ReviewKeyword.Direction.INPUT: "review_input_response",
        ReviewKeyword.Direction.OUTPUT: "review_output_response",
    }
    for direction, field in responses.items():
        if direction in directions and not getattr(config, field).strip():
            problems[field] = [_("Say what is answered when a keyword is met.")]
    return problems


def _copy_as_version(draft: AppConfig, *, revision: int, user: User, note: str) -> AppConfig:
    latest = draft.app.configs.aggregate(latest=Max("version"))["latest"] or 0
    details: dict[str, Any] = {
        "revision": revision,
        "version": latest + 1,
        "note": note,
        "content_hash": content_hash(dump_config(draft)),
        "published_by": user,
        "published_at": Now(),
    }
    version = AppConfig(
        app=draft.app, state=AppConfig.State.PUBLISHED, **details, **columns_of(draft)
    )
    version.save(force_insert=True)
    write_rows(version, rows_of(draft))
    return version
