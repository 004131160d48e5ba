"""One error shape for everything that can go wrong."""

from typing import Any

import pytest
from django.db import DataError, IntegrityError, OperationalError
from django.test import AsyncClient, Client
from rest_framework.test import APIClient

from apps.api.errors import answer_exception, problem_of
from apps.studio.models import App
from tests.api.conftest import Belongings, Program

pytestmark = pytest.mark.urls("apps.api.urls")

SHAPE = {"code", "message", "details", "request_id"}


def check(answer: Any, status: int, code: str) -> dict[str, Any]:
    """The error's body after a look at its status, code and shape."""
    body: dict[str, Any] = answer.json()
    assert (answer.status_code, body["code"]) == (status, code), body
    assert body.keys() == SHAPE
    assert body["message"]
    assert answer["Content-Type"] == "application/json"
    return body


def test_what_is_not_found_is_named(builder: Program) -> None:
    answer = builder.client.get("/api/v1/apps/nobody/draft")
    assert "/api/v1/apps/nobody/draft" in check(answer, 404, "not_found")["message"]


@pytest.mark.parametrize("path", ["/api", "/api/", "/api/v1", "/api/v1/nothing", "/api/v2/apps/"])
@pytest.mark.parametrize("method", ["get", "post", "options", "put"])
def test_an_unknown_path_is_said_in_json(path: str, method: str) -> None:
    answer = getattr(APIClient(), method)(path)
    assert path in check(answer, 404, "unknown_path")["message"]


@pytest.mark.django_db(transaction=True)
def test_an_unknown_method_is_said(builder: Program) -> None:
    check(builder.client.put("/api/v1/apps", {}, format="json"), 405, "method_not_allowed")
    check(builder.client.delete("/api/v1/apps/x/chat"), 405, "method_not_allowed")
    check(builder.client.options("/api/v1/apps"), 405, "method_not_allowed")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/api/v1/apps", "/api/v1/apps/clerk/chat"])
def test_another_media_type_is_said(path: str, belongings: Belongings) -> None:
    client = belongings.owner.client
    check(client.post(path, {"slug": "x"}, format="multipart"), 415, "unsupported_media_type")
    check(client.post(path, "<a/>", content_type="text/xml"), 415, "unsupported_media_type")


@pytest.mark.django_db(transaction=True)
async def test_a_body_is_utf_8_whatever_charset_it_claims(builder: Program) -> None:
    answer = await AsyncClient().generic(
        "POST",
        "/api/v1/apps",
        '{"slug": "late", "name": "Sp\u00e4t"}'.encode(),
        content_type="application/json; charset=bz2",
        headers={"Authorization": f"Bearer {builder.secret}"},
    )
    assert answer.json()["name"] == "Sp\u00e4t"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("path", ["/api/v1/apps", "/api/v1/apps/clerk/chat"])
@pytest.mark.parametrize(
    ("body", "status", "code"),
    [
        pytest.param("{", 400, "parse_error", id="malformed"),
        pytest.param("[" * 100_000, 400, "parse_error", id="100k levels"),
        pytest.param("[]", 400, "invalid", id="a list"),
        pytest.param('"text"', 400, "invalid", id="a text"),
        pytest.param("null", 400, "invalid", id="null"),
        pytest.param("", 400, "invalid", id="nothing"),
        pytest.param('{"name": "' + "x" * 1_100_000 + '"}', 413, "body_too_large", id="too large"),
    ],
)
def test_a_body_that_cannot_be_read_is_said(
    path: str, body: str, status: int, code: str, belongings: Belongings
) -> None:
    client = belongings.owner.client
    check(client.post(path, body, content_type="application/json"), status, code)


def test_every_wrong_field_is_named_with_its_reason(builder: Program) -> None:
    body = {"slug": "no spaces!", "nonsense": 1, "owner": "olga"}
    details = check(builder.client.post("/api/v1/apps", body, format="json"), 400, "invalid")[
        "details"
    ]
    assert details.keys() == {"nonsense", "owner", "slug", "name"}


def test_a_slug_that_is_taken_is_said(belongings: Belongings) -> None:
    client = belongings.owner.client
    answer = client.post("/api/v1/apps", {"slug": "clerk", "name": "Second"}, format="json")
    assert "slug" in check(answer, 400, "invalid")["details"]
    assert App.objects.count() == 1


def test_a_stale_revision_is_a_conflict_with_both_values(belongings: Belongings) -> None:
    client = belongings.owner.client
    body = {"revision": 1, "preset_prompt": "Be brief."}
    answer = client.patch("/api/v1/apps/clerk/draft", body, format="json")
    assert check(answer, 409, "stale_revision")["details"] == {"given": 1, "current": 3}


def test_what_is_in_use_is_not_deleted_and_its_users_are_named(
    belongings: Belongings, operator: Program
) -> None:
    answer = operator.client.delete(f"/api/v1/language-models/{belongings.model.pk}")
    details = check(answer, 409, "in_use")["details"]
    assert set(details["used_by"]) == {"clerk@draft", "clerk@1"}


@pytest.mark.parametrize(
    ("exception", "status", "code"),
    [
        (OperationalError("server closed the connection"), 503, "database_unavailable"),
        (IntegrityError("duplicate key value"), 409, "conflict"),
        (DataError("integer out of range"), 400, "invalid"),
    ],
    ids=["no database", "lost race", "too large a value"],
)
def test_a_failing_database_is_told_without_its_words(
    exception: Exception, status: int, code: str, caplog: pytest.LogCaptureFixture
) -> None:
    answer = answer_exception(exception, {})
    assert answer is not None
    assert (answer.status_code, answer.data["code"]) == (status, code)
    assert str(exception) not in answer.data["message"]
    assert answer.data["request_id"] in caplog.text


def test_a_fault_of_ours_is_left_to_djangos_handler() -> None:
    assert problem_of(ZeroDivisionError(), path="/api/v1/apps") is None


@pytest.mark.urls("config.urls")
@pytest.mark.parametrize(("path", "is_api"), [("/api/v1/apps", True), ("/accounts/login/", False)])
def test_a_request_that_django_refuses_is_told_in_the_askers_form(path: str, is_api: bool) -> None:
    answer = Client().get(path, headers={"host": "elsewhere.example"})
    if is_api:
        check(answer, 400, "bad_request")
    else:
        assert (answer.status_code, "<html" in answer.text) == (400, True)


@pytest.mark.urls("config.urls")
def test_a_fault_answers_programs_in_json_with_the_number_that_the_log_has(
    builder: Program, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("apps.api.app_catalogue.visible_apps", _fail)
    headers = {"Authorization": f"Bearer {builder.secret}"}
    answer = Client(raise_request_exception=False).get("/api/v1/apps", headers=headers)
    assert check(answer, 500, "server_error")["request_id"] in caplog.text


@pytest.mark.urls("config.urls")
def test_a_fault_answers_people_with_a_page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("django.contrib.auth.views.LoginView.get_context_data", _fail)
    answer = Client(raise_request_exception=False).get("/accounts/login/")
    assert answer.status_code == 500
    assert "Something went wrong" in answer.text


def _fail(*_args: object, **_kwargs: object) -> None:
    raise ZeroDivisionError


def test_a_body_of_unknown_fields_gets_a_small_answer(operator: Program) -> None:
    fields = {f"field{number}": 1 for number in range(50_000)}

    answer = operator.client.post("/api/v1/model-providers", fields, format="json")

    assert answer.status_code == 400
    assert "more unknown fields" in answer.json()["message"]
    assert len(answer.content) < 10_000
