"""The API's description of itself: complete, valid, and changed only on purpose."""

import difflib
import re
from io import StringIO
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from django.core.management import call_command
from django.test import AsyncClient, Client

from apps.runs.database import in_database
from apps.runs.home import RunHome
from tests.api.conftest import AsyncProgram, Belongings, Program, read_frames, script_app
from tests.api.url_map import Endpoint, endpoints
from tests.fakes.upstream import UpstreamServer, call, calls, text

SNAPSHOT = Path(__file__).with_name("schema.yml")

pytestmark = pytest.mark.urls("apps.api.urls")


def written_schema() -> str:
    """What `manage.py spectacular` writes; a warning is an error."""
    text = StringIO()
    call_command("spectacular", validate=True, fail_on_warn=True, stdout=text)
    return text.getvalue()


def test_the_schema_is_valid_without_warnings_and_as_recorded() -> None:
    schema = written_schema()
    changes = list(
        difflib.unified_diff(
            SNAPSHOT.read_text().splitlines(), schema.splitlines(), "recorded", "now", lineterm=""
        )
    )
    assert not changes, (
        "The API changed. If that is meant, record it: "
        f"manage.py spectacular --file {SNAPSHOT.relative_to(Path.cwd())}\n"
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


def answer_schema(document: dict[str, Any], endpoint: Endpoint) -> dict[str, Any]:
    """The JSON Schema of what `endpoint` answers, with everything that it refers to."""
    path = re.sub(r"<\w+:(\w+)>", r"{\1}", f"/{endpoint.route}").replace("{pk}", "{id}")
    responses = document["paths"][path][endpoint.method]["responses"]
    success = next(answer for status, answer in responses.items() if status.startswith("20"))
    schema: dict[str, Any] = success["content"]["application/json"]["schema"]
    return {**schema, "components": document["components"]}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "endpoint", [e for e in endpoints() if e.method == "get" and not e.is_async], ids=str
)
def test_answers_are_what_the_schema_says(
    endpoint: Endpoint, belongings: Belongings, operator: Program, client: Client
) -> None:
    document = client.get("/api/schema?format=json").json()
    asker = operator if endpoint.is_site_asset else belongings.owner
    answer = asker.client.get(belongings.fill(endpoint.route))
    assert answer.status_code == 200
    jsonschema.validate(answer.json(), answer_schema(document, endpoint))


@pytest.mark.django_db(transaction=True)
async def test_a_whole_answer_and_its_events_are_what_the_schema_says(
    home: RunHome, upstream: UpstreamServer, builder: Program, client: Client
) -> None:
    await in_database(script_app, upstream, builder.user)
    program = AsyncProgram(builder.secret)
    document = (await AsyncClient().get("/api/schema?format=json")).json()
    upstream.script(calls(call("calculator", expression="6*7")), text("It is 42."))
    answer = await program.post("apps/clerk/chat", {"query": "6 times 7?"})
    endpoint = Endpoint("post", "api/v1/apps/<slug:slug>/chat")
    jsonschema.validate(answer.json(), answer_schema(document, endpoint))
    events = await program.get(f"tasks/{answer.json()['task_id']}/events")
    thought = {"$ref": "#/components/schemas/AgentThought", "components": document["components"]}
    for frame in [frame async for frame in read_frames(events)]:
        jsonschema.validate(frame.data, thought)
