"""From credentials to the `Caller` row that owns what is asked."""

from apps.accounts.models import ApiKey, Caller, User


def caller_for_user(user: User) -> Caller:
    """Costs no statement when the user was read with their caller (`find_user`)."""
    caller = user.own_caller
    if caller is None:
        caller, _ = Caller.objects.get_or_create(kind=Caller.Kind.USER, user=user, api_key=None)
    caller.user = user
    return caller


def caller_for_api_key(key: ApiKey) -> Caller:
    """Costs no statement when the key was read with its caller (`find_api_key`)."""
    try:
        caller = key.caller
    except Caller.DoesNotExist:
        caller, _ = Caller.objects.get_or_create(
            api_key=key, defaults={"kind": Caller.Kind.API_KEY, "user": key.user}
        )
    caller.api_key, caller.user = key, key.user
    return caller
