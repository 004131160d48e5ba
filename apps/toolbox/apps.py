from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class ToolboxConfig(DjangoAppConfig):
    name = "apps.toolbox"
    verbose_name = _("Tools")
