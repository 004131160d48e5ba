"""Taking an asset away, which is refused while any draft or version uses it (MaxKB#3412)."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Q, QuerySet
from django.utils.translation import gettext as _

from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.models import AppConfig
from apps.toolbox.models import Tool

Asset = ModelProvider | LanguageModel | Tool


class AssetInUse(Exception):
    """The asset stays; `users` are the configurations that name it, as app@draft or app@version."""

    def __init__(self, asset: Asset, users: Sequence[str]) -> None:
        super().__init__(
            _("%(asset)s is used by %(users)s and stays. Take it out of them first.")
            % {"asset": asset, "users": ", ".join(users)}
        )
        self.users = list(users)


def configs_using(asset: Asset) -> QuerySet[AppConfig]:
    """Drafts and versions that name the asset; for a provider, that name one of its models."""
    match asset:
        case ModelProvider():
            uses = Q(model__provider=asset) | Q(auxiliary_model__provider=asset)
        case LanguageModel():
            uses = Q(model=asset) | Q(auxiliary_model=asset)
        case Tool():
            uses = Q(tool_choices__tool=asset)
    return AppConfig.objects.filter(uses).select_related("app").order_by("app__slug", "-version")


@transaction.atomic
def delete_asset(asset: Asset) -> None:
    """Delete the asset, a provider with its models. Raises AssetInUse."""
    users = [str(config) for config in configs_using(asset)]
    if users:
        raise AssetInUse(asset, users)
    if isinstance(asset, ModelProvider):
        asset.models.all().delete()
    asset.delete()
