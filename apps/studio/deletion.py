"""Taking things away: an asset unless a draft or version uses it (MaxKB#3412), an App unless it was used."""

from collections.abc import Sequence

from django.db import transaction
from django.db.models import ProtectedError, Q, QuerySet
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.providers.models import LanguageModel, ModelProvider
from apps.studio.models import App, AppConfig
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


class AppWasUsed(Exception):
    """The App stays, because `count` conversations with it are to stay readable."""

    def __init__(self, app: App, count: int) -> None:
        super().__init__(
            ngettext(
                "%(count)d conversation was held with %(app)s, so it stays. Disable it instead.",
                "%(count)d conversations were held with %(app)s, so it stays. Disable it instead.",
                count,
            )
            % {"count": count, "app": app}
        )
        self.count = count


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


@transaction.atomic
def delete_app(app: App) -> None:
    """Delete the App with its draft and versions. Raises AppWasUsed; conversations say so by protecting it."""
    try:
        app.delete()
    except ProtectedError as error:
        raise AppWasUsed(app, len(error.protected_objects)) from error
