from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class RunsConfig(DjangoAppConfig):
    name = "apps.runs"
    verbose_name = _("Runs")
