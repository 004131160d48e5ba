from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class ConversationsConfig(DjangoAppConfig):
    name = "apps.conversations"
    verbose_name = _("Records")
