"""From where a request came, also behind proxies that the operator trusts."""

from django.conf import settings
from django.http import HttpRequest


def client_address(request: HttpRequest) -> str:
    """The peer's address, or what the TRUSTED_PROXIES-th proxy from here said it was.

    What stands further left in X-Forwarded-For is the client's own claim and never counts.
    """
    peer: str = request.META.get("REMOTE_ADDR", "")
    claimed = [part.strip() for part in request.headers.get("X-Forwarded-For", "").split(",")]
    count = settings.TRUSTED_PROXIES
    return claimed[-count] if 0 < count <= len(claimed) and claimed[-count] else peer
