from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class AccountsConfig(DjangoAppConfig):
    name = "apps.accounts"
    verbose_name = _("Accounts")
