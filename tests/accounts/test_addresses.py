"""Whose address counts when somebody else is said to have asked."""

from typing import Any

import pytest
from django.test import RequestFactory

from apps.accounts.addresses import client_address


@pytest.mark.parametrize(
    ("proxies", "forwarded", "address"),
    [
        pytest.param(0, "6.6.6.6", "10.0.0.1", id="no proxy is believed"),
        pytest.param(1, "6.6.6.6, 1.2.3.4", "1.2.3.4", id="what the one proxy saw"),
        pytest.param(2, "6.6.6.6, 1.2.3.4, 10.0.0.2", "1.2.3.4", id="two proxies"),
        pytest.param(1, "", "10.0.0.1", id="the proxy said nothing"),
        pytest.param(3, "1.2.3.4", "10.0.0.1", id="fewer than there should be"),
    ],
)
def test_only_trusted_proxies_say_who_asked(
    settings: Any, proxies: int, forwarded: str, address: str
) -> None:
    settings.TRUSTED_PROXIES = proxies
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}
    request = RequestFactory().get("/", REMOTE_ADDR="10.0.0.1", headers=headers)
    assert client_address(request) == address
