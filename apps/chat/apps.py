from django.apps import AppConfig as DjangoAppConfig
from django.utils.translation import gettext_lazy as _


class ChatConfig(DjangoAppConfig):
    name = "apps.chat"
    verbose_name = _("Chat")
