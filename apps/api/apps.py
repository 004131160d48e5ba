from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class ApiConfig(DjangoAppConfig):
    name = "apps.api"
    verbose_name = _("API")
