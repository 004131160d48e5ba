"""Reading a person with all that a request asks about them."""

from django.db.models import F

from apps.accounts.models import Caller, User


def find_user(user_id: int) -> User | None:
    """The user. Whoever asked something before comes with their roles and caller, in the same statement.

    That statement has a row for each role.
    """
    rows = list(
        Caller.objects.filter(kind=Caller.Kind.USER, user=user_id)
        .select_related("user")
        .annotate(role=F("user__groups__name"))
    )
    if not rows:
        return User.objects.filter(pk=user_id).first()
    user = rows[0].user
    user.group_names = frozenset(row.role for row in rows if row.role)
    user.own_caller = rows[0]
    return user
