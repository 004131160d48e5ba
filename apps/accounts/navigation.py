"""The admin's side bar and first page: what people build, what it is made of, what happened, who is here."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest
from django.urls import reverse, reverse_lazy
from django.utils.translation import gettext_lazy as _

OPERATORS_ONLY = "apps.accounts.admin_site.operators_only"


@dataclass(frozen=True)
class Item:
    """A list in the admin; `model` is spelled like the names of its pages."""

    title: Any
    icon: str
    model: str
    permission: str | None = None


@dataclass(frozen=True)
class Group:
    title: Any
    items: Sequence[Item]


GROUPS = (
    Group(_("Studio"), [Item(_("Apps"), "smart_toy", "studio_app")]),
    Group(
        _("Assets"),
        [
            Item(_("Model providers"), "dns", "providers_modelprovider"),
            Item(_("Language models"), "neurology", "providers_languagemodel"),
            Item(_("Tools"), "construction", "toolbox_tool"),
        ],
    ),
    Group(
        _("Records"),
        [
            Item(_("Conversations"), "forum", "conversations_conversation"),
            Item(_("Model calls"), "receipt_long", "usage_modelcall"),
        ],
    ),
    Group(
        _("People"),
        [
            Item(_("Users"), "person", "accounts_user", OPERATORS_ONLY),
            Item(_("Groups"), "group", "auth_group", OPERATORS_ONLY),
            Item(_("API keys"), "key", "accounts_apikey", OPERATORS_ONLY),
        ],
    ),
)


def sidebar(_request: HttpRequest) -> list[dict[str, Any]]:
    return [
        {"title": group.title, "separator": True, "items": [_link(item) for item in group.items]}
        for group in GROUPS
    ]


def group_like_sidebar(django_apps: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Django's list of apps with their models, grouped and named as in the side bar; others are left out."""
    models = {
        f"{app['app_label']}_{model['object_name'].lower()}": model
        for app in django_apps
        for model in app["models"]
    }
    groups = (
        (group.title, [models[item.model] for item in group.items if item.model in models])
        for group in GROUPS
    )
    return [_index_group(title, shown) for title, shown in groups if shown]


def _link(item: Item) -> dict[str, Any]:
    return {
        "title": item.title,
        "icon": item.icon,
        "link": reverse_lazy(f"admin:{item.model}_changelist"),
        "permission": item.permission,
    }


def _index_group(title: Any, models: list[dict[str, Any]]) -> dict[str, Any]:
    """In the shape of Django's `get_app_list`."""
    return {
        "name": title,
        "app_label": "group",
        "app_url": reverse("admin:index"),
        "has_module_perms": True,
        "models": models,
    }
