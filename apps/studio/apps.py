from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class StudioConfig(DjangoAppConfig):
    name = "apps.studio"
    verbose_name = _("Studio")
