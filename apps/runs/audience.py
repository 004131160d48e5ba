"""How much of a run a reader sees."""

from agents.events import Audience
from apps.accounts.models import Caller
from apps.accounts.roles import is_builder, is_operator
from apps.studio.models import App, AppConfig

_ASKERS = {
    AppConfig.ShowSteps.FULL: Audience.ASKER_FULL,
    AppConfig.ShowSteps.NAMES: Audience.ASKER_NAMES,
    AppConfig.ShowSteps.OFF: Audience.ASKER_OFF,
}


def audience_of(
    caller: Caller, app: App, config: AppConfig | None, *, is_editor: bool | None = None
) -> Audience:
    """Everything for builders who may edit the App (behind a key only with its scope), else what it shows.

    Whoever read already whether the caller is one of its editors says so; None asks the database.
    """
    if _may_edit(caller, app, is_editor):
        return Audience.BUILDER
    if config is None:
        return Audience.ASKER_OFF
    return _ASKERS[AppConfig.ShowSteps(config.show_steps)]


def _may_edit(caller: Caller, app: App, is_editor: bool | None) -> bool:
    if not is_builder(caller.user):
        return False
    key = caller.api_key
    if key and not (key.can_manage and key.all_apps):
        return False
    if app.owner_id == caller.user_id or is_operator(caller.user):
        return True
    return app.editors.filter(pk=caller.user_id).exists() if is_editor is None else is_editor
