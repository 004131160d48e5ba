"""What the values of a provider have to be beyond their type."""

from urllib.parse import urlsplit

from django.core.exceptions import ValidationError
from django.utils.translation import gettext as _


def validate_provider_name(name: str) -> None:
    """A model is spelt `provider/name`, and models have slashes in their names: the first one parts them."""
    if "/" in name:
        raise ValidationError(
            _('A name has no "/", since models are spelt provider/name.'), code="slash"
        )


def validate_base_url(url: str) -> None:
    """An http or https address; its host may be private or a single label, as in a network of containers."""
    if not _is_base_url(url):
        raise ValidationError(
            _(
                "Enter an address with http:// or https://, a host and no query, for example "
                "http://ollama:11434/v1. A key belongs into the API key, not into the address."
            ),
            code="base_url",
        )


def _is_base_url(url: str) -> bool:
    try:
        parts = urlsplit(url)
        is_port_valid = parts.port is None or parts.port > 0
    except ValueError:
        return False
    return (
        parts.scheme in {"http", "https"}
        and bool(parts.hostname)
        and is_port_valid
        and not set("@?#\\") & set(url)
        and url.isprintable()
        and " " not in url
    )
