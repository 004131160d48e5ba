"""Headers may hold credentials, so they are stored as the secret is."""

import pytest
from django.db import connection

from apps.providers.models import ModelProvider


@pytest.mark.django_db
@pytest.mark.parametrize("headers", [{"Authorization": "Bearer canary"}, {}], ids=["some", "none"])
def test_headers_come_back_and_the_row_shows_none(headers: dict[str, str]) -> None:
    ModelProvider.objects.create(name="acme", extra_headers=headers)

    with connection.cursor() as cursor:
        cursor.execute("SELECT * FROM providers_modelprovider")
        row = str(cursor.fetchall())

    assert "canary" not in row
    assert "Authorization" not in row
    assert ModelProvider.objects.get().extra_headers == headers
