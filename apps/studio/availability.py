"""Taking an App out of use and back, without touching its configuration."""

from django.db import transaction
from django.utils.translation import gettext as _

from apps.accounts.models import User
from apps.studio.audit import record_act
from apps.studio.models import App


@transaction.atomic
def disable_app(app: App, *, user: User) -> None:
    """Nobody can ask the App anything until it is enabled; running answers go on."""
    _set_status(app, App.Status.DISABLED)
    record_act(user, app, _("Disabled."))


@transaction.atomic
def enable_app(app: App, *, user: User) -> None:
    """Back to what it was: published if a version is published, else a draft."""
    _set_status(app, App.Status.PUBLISHED if app.published_config_id else App.Status.DRAFT)
    record_act(user, app, _("Enabled."))


def _set_status(app: App, status: App.Status) -> None:
    app.status = status
    app.save(update_fields=["status", "updated_at"])
