"""What the log says of clients that do something wrong."""

import logging

import pytest
from django.test import Client

pytestmark = pytest.mark.django_db


def levels(caplog: pytest.LogCaptureFixture) -> list[tuple[str, int]]:
    return [(record.name, record.levelno) for record in caplog.records]


def test_a_refused_api_call_is_news_and_no_warning(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.get("/api/v1/apps")

    assert levels(caplog) == [("django.request", logging.INFO)]


def test_a_refused_host_is_news_without_a_traceback(
    client: Client, caplog: pytest.LogCaptureFixture
) -> None:
    client.get("/api/v1/apps", headers={"Host": "elsewhere.example"})

    assert ("django.security.DisallowedHost", logging.INFO) in levels(caplog)
    assert {record.levelno for record in caplog.records} == {logging.INFO}
    assert not any(record.exc_info for record in caplog.records)


def test_a_refused_page_stays_a_warning(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.get("/there-is-no-such-page/")

    assert levels(caplog) == [("django.request", logging.WARNING)]
