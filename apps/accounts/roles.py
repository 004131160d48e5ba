"""What people may do: three groups, asked by name in one place.

Operators may do everything, builders work on Apps and read the assets Apps are made of, members chat.
"""

from django.contrib.auth.backends import ModelBackend
from django.contrib.auth.models import AnonymousUser

from apps.accounts.models import User
from apps.accounts.users import find_user

OPERATORS = "operators"
BUILDERS = "builders"
MEMBERS = "members"
ROLES = (OPERATORS, BUILDERS, MEMBERS)


def is_operator(user: User) -> bool:
    return user.is_superuser or OPERATORS in user.group_names


def is_builder(user: User) -> bool:
    """May create Apps. Operators are builders too."""
    return is_operator(user) or BUILDERS in user.group_names


class RoleBackend(ModelBackend):
    """Django's permission question answered from the roles, so that no group needs hand-picked rows."""

    # Builders work on these whole apps; row by row, the querysets decide what they see.
    builder_apps = frozenset({"studio"})
    builder_views = frozenset({"providers", "toolbox", "conversations", "usage"})

    def get_user(self, user_id: int) -> User | None:
        """The person of a session, if they are active."""
        user = find_user(user_id)
        return user if user and user.is_active else None

    def has_perm(
        self, user_obj: User | AnonymousUser, perm: str, obj: object | None = None
    ) -> bool:
        if isinstance(user_obj, AnonymousUser) or not user_obj.is_active:
            return False
        if is_operator(user_obj):
            return True
        app_label, _, codename = perm.partition(".")
        if is_builder(user_obj):
            return app_label in self.builder_apps or (
                app_label in self.builder_views and codename.startswith("view_")
            )
        return False

    def has_module_perms(self, user_obj: User | AnonymousUser, app_label: str) -> bool:
        if isinstance(user_obj, AnonymousUser) or not user_obj.is_active:
            return False
        return is_operator(user_obj) or (
            is_builder(user_obj) and app_label in self.builder_apps | self.builder_views
        )
