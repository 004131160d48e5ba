from django.apps import AppConfig as DjangoAppConfig
from django.conf import settings
from django.utils.translation import gettext_lazy as _


class RunsConfig(DjangoAppConfig):
    name = "apps.runs"
    verbose_name = _("Runs")

    def ready(self) -> None:
        # Models are loaded only now, and the home needs them.
        from apps.runs.execution import execute  # noqa: PLC0415
        from apps.runs.home import RunHome, install_home  # noqa: PLC0415
        from apps.runs.waking import dispatch_run  # noqa: PLC0415

        is_celery = settings.RUN_EXECUTOR == "celery"
        install_home(RunHome(execute, dispatch=dispatch_run if is_celery else None))
