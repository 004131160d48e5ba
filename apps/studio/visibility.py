"""Who may see and who may change an App, as filters."""

from typing import TYPE_CHECKING, Self

from django.db import models
from django.db.models import Q

from apps.accounts.models import ApiKey, User
from apps.accounts.roles import is_builder, is_operator

if TYPE_CHECKING:
    from apps.studio.models import App


class AppQuerySet(models.QuerySet["App"]):
    """Apps as a person or a key may reach them; everything else is not found."""

    def visible_to(self, user: User, *, key: ApiKey | None = None) -> Self:
        """Apps that the user may chat with, and that the key may reach where it is limited."""
        reachable = self if key is None or key.all_apps else self.filter(api_keys=key)
        if is_operator(user):
            return reachable
        mine = Q(owner=user) | Q(pk__in=user.edited_apps.values("pk"))
        return reachable.filter(mine | Q(visibility="site"))

    def editable_by(self, user: User, *, key: ApiKey | None = None) -> Self:
        """Apps whose draft the user may change: builders their own and those they edit, operators all."""
        if not is_builder(user):
            return self.none()
        reachable = self if key is None or key.all_apps else self.filter(api_keys=key)
        if is_operator(user):
            return reachable
        return reachable.filter(Q(owner=user) | Q(pk__in=user.edited_apps.values("pk")))
