"""Which configuration a question meets: the draft in the debugger, the published version everywhere else."""

from django.utils.translation import gettext as _

from apps.runs.refusal import RunRefused
from apps.studio.models import App, AppConfig


def choose_config(app: App, *, use_draft: bool) -> AppConfig:
    """The configuration of a new run; raises RunRefused with what to do."""
    if use_draft:
        return app.configs.get(state=AppConfig.State.DRAFT)
    if app.status == App.Status.DISABLED:
        raise RunRefused(
            "app_disabled",
            _("The App %(app)r is disabled. Ask its owner to enable it.") % {"app": app.name},
            403,
        )
    if app.published_config is None:
        raise RunRefused(
            "app_not_published",
            _("The App %(app)r has no published version yet. Publish its draft first.")
            % {"app": app.name},
            409,
        )
    return app.published_config
