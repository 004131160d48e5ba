from typing import Any

from django.apps import AppConfig as DjangoAppConfig
from django.apps.registry import Apps
from django.apps.registry import apps as installed_apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class ToolboxConfig(DjangoAppConfig):
    name = "apps.toolbox"
    verbose_name = _("Assets")

    def ready(self) -> None:
        post_migrate.connect(_sync_tools, sender=self)


def _sync_tools(*, apps: Apps = installed_apps, **_kwargs: Any) -> None:
    """With every migration, since code and schema change together; not when the table was taken away.

    A flush sends the same signal, without `apps`.
    """
    from apps.toolbox.sync import sync_tools  # noqa: PLC0415 -- models load after the app registry

    if "tool" in apps.all_models["toolbox"]:
        sync_tools()
