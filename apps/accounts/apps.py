from typing import Any

from django.apps import AppConfig as DjangoAppConfig
from django.apps.registry import Apps
from django.apps.registry import apps as installed_apps
from django.db.models.signals import post_migrate
from django.utils.translation import gettext_lazy as _


class AccountsConfig(DjangoAppConfig):
    name = "apps.accounts"
    verbose_name = _("People")

    def ready(self) -> None:
        from apps.accounts import checks  # noqa: F401, PLC0415 -- registered by being imported

        post_migrate.connect(_create_role_groups, sender=self)


def _create_role_groups(*, apps: Apps = installed_apps, **_kwargs: Any) -> None:
    """The groups that `roles.py` asks for exist on every migrated site. A flush signals without `apps`."""
    from apps.accounts.roles import ROLES  # noqa: PLC0415 -- models load after the app registry

    if "group" in apps.all_models["auth"] and "user" in apps.all_models["accounts"]:
        for name in ROLES:
            installed_apps.get_model("auth", "Group").objects.get_or_create(name=name)
