"""The API's description of itself: complete, valid, and changed only on purpose."""

import difflib
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import call_command
from django.test import Client

from tests.api.url_map import endpoints

SNAPSHOT = Path(__file__).with_name("schema.yml")

pytestmark = pytest.mark.urls("apps.api.urls")


def written_schema() -> str:
    """What `manage.py spectacular` writes; a warning is an error."""
    text = StringIO()
    call_command(
        "spectacular",
        urlconf="apps.api.urls",
        custom_settings="apps.api.openapi.SETTINGS",
        validate=True,
        fail_on_warn=True,
        stdout=text,
    )
    return text.getvalue()


def test_the_schema_is_valid_without_warnings_and_as_recorded() -> None:
    schema = written_schema()
    changes = list(
        difflib.unified_diff(
            SNAPSHOT.read_text().splitlines(), schema.splitlines(), "recorded", "now", lineterm=""
        )
    )
    assert not changes, (
        "The API changed. If that is meant, record it: manage.py spectacular --urlconf apps.api.urls "
        f"--custom-settings apps.api.openapi.SETTINGS --file {SNAPSHOT.relative_to(Path.cwd())}\n"
        + "\n".join(changes[:60])
    )


def test_every_endpoint_is_described_with_the_error_shape(client: Client) -> None:
    paths = client.get("/api/schema?format=json").json()["paths"]
    described = {(method, path) for path, methods in paths.items() for method in methods}
    assert len(described) == len(endpoints())
    for methods in paths.values():
        for operation in methods.values():
            content = operation["responses"]["default"]["content"]["application/json"]
            assert content["schema"] == {"$ref": "#/components/schemas/ErrorShape"}
            assert {"ApiKey": []} in operation["security"]


def test_the_page_of_the_api_needs_nothing_from_elsewhere_and_no_inline_script(
    client: Client,
) -> None:
    page = client.get("/api/docs/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "swagger-ui-bundle.js" in text
    assert "https://" not in text
    assert "<style" not in text
    assert "<script>" not in text
    script = client.get("/api/docs/?script=")
    assert script["Content-Type"].startswith("application/javascript")
    assert "/api/schema" in script.content.decode()
