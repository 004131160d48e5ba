"""The admin's side bar: what people build, what it is made of, what happened, who is here."""

from typing import Any

from django.http import HttpRequest
from django.urls import reverse_lazy
from django.utils.translation import gettext_lazy as _

OPERATORS_ONLY = "apps.accounts.admin_site.operators_only"


def sidebar(_request: HttpRequest) -> list[dict[str, Any]]:
    return [
        _group(_("Studio"), _item(_("Apps"), "smart_toy", "studio_app")),
        _group(
            _("Assets"),
            _item(_("Model providers"), "dns", "providers_modelprovider"),
            _item(_("Language models"), "neurology", "providers_languagemodel"),
            _item(_("Tools"), "construction", "toolbox_tool"),
        ),
        _group(
            _("Records"),
            _item(_("Conversations"), "forum", "conversations_conversation"),
            _item(_("Model calls"), "receipt_long", "usage_modelcall"),
        ),
        _group(
            _("People"),
            _item(_("Users"), "person", "accounts_user", permission=OPERATORS_ONLY),
            _item(_("Groups"), "group", "auth_group", permission=OPERATORS_ONLY),
            _item(_("API keys"), "key", "accounts_apikey", permission=OPERATORS_ONLY),
        ),
    ]


def _group(title: Any, *items: dict[str, Any]) -> dict[str, Any]:
    return {"title": title, "separator": True, "items": list(items)}


def _item(title: Any, icon: str, model: str, permission: str | None = None) -> dict[str, Any]:
    return {
        "title": title,
        "icon": icon,
        "link": reverse_lazy(f"admin:{model}_changelist"),
        "permission": permission,
    }
