from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class ProvidersConfig(DjangoAppConfig):
    name = "apps.providers"
    verbose_name = _("Assets")
