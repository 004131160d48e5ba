from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class UsageConfig(DjangoAppConfig):
    name = "apps.usage"
    verbose_name = _("Records")
