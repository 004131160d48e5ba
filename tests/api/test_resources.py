"""What can be configured over the API, and what cannot be smuggled in."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from rest_framework.serializers import ModelSerializer
from rest_framework.test import APIClient

from apps.accounts.roles import OPERATORS
from apps.api.strict_fields import StrictModelSerializer
from apps.conversations.models import Conversation, Entry
from apps.providers.models import LanguageModel, ModelPrice, ModelProvider
from apps.studio.drafts import create_app
from apps.studio.models import App, AppConfig
from apps.studio.publishing import publish
from apps.toolbox.models import Tool
from tests.api.conftest import Belongings, Program, finished_turn, program_of
from tests.api.url_map import routes

pytestmark = [pytest.mark.urls("apps.api.urls"), pytest.mark.django_db]


@pytest.fixture
def clock_tool(db: None) -> Tool:
    tool, _is_new = Tool.objects.get_or_create(
        name="current_time",
        defaults={"source": "builtin", "description": "Tells the time.", "risk": "safe"},
    )
    return tool


def post(client: APIClient, path: str, **body: Any) -> Any:
    return client.post(f"/api/v1/{path}", body, format="json")


def patch(client: APIClient, path: str, **body: Any) -> Any:
    return client.patch(f"/api/v1/{path}", body, format="json")


@pytest.mark.parametrize(("route", "view"), routes(), ids=lambda value: str(value))
def test_a_path_means_the_same_with_and_without_its_slash(route: str, view: Any) -> None:
    assert not route.endswith("/")
    endpoint = route.rpartition("api/v1/")[2]
    filled = (
        endpoint.replace("<slug:slug>", "a-b")
        .replace("<int:pk>", "7")
        .replace("<int:version>", "7")
        .replace("<str:name>", "clock")
    )
    for kind in ("conversation", "message", "task"):
        filled = filled.replace(f"<uuid:{kind}_id>", "0b6a1f0e-9a0f-4e0e-8f57-6e2b8c1d2a3f")
    assert view.resolve(filled) is not None
    assert view.resolve(f"{filled}/").kwargs == view.resolve(filled).kwargs
    assert view.resolve(f"{filled}//") is None


def test_a_providers_secret_goes_in_and_never_comes_out(operator: Program) -> None:
    answer = post(
        operator.client,
        "model-providers",
        name="ollama",
        base_url="http://127.0.0.1:11434/v1",
        secret="canary-secret",
        extra_headers={"X-Key": "canary-header"},
    )
    assert answer.status_code == 201, answer.content
    path = f"model-providers/{answer.json()['id']}"
    changed = patch(operator.client, path, idle_timeout=30)
    assert changed.json()["has_secret"] is True
    assert changed.json()["extra_header_names"] == ["X-Key"]
    for shown in (answer, changed, operator.client.get(f"/api/v1/{path}")):
        assert b"canary" not in shown.content
    assert ModelProvider.objects.get().secret == "canary-secret"
    assert patch(operator.client, path, secret="").json()["has_secret"] is False


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("name", "a/b"),
        ("base_url", "ollama:11434"),
        ("kind", "oracle"),
        ("extra_headers", []),
        ("extra_headers", {"X Y": "a"}),
        ("extra_headers", {"X": "a\r\nEvil: 1"}),
        ("extra_headers", {"X": "naïve"}),
        ("idle_timeout", 0),
    ],
    ids=str,
)
def test_a_wrong_value_of_a_provider_is_named(field: str, value: Any, operator: Program) -> None:
    body = {"name": "acme", field: value}
    answer = post(operator.client, "model-providers", **body)
    assert answer.status_code == 400, answer.content
    assert answer.json()["details"].keys() == {field}
    assert not ModelProvider.objects.exists()


def test_a_new_price_is_added_and_the_old_one_stays(
    operator: Program, model: LanguageModel
) -> None:
    path = f"language-models/{model.pk}"
    assert operator.client.get(f"/api/v1/{path}").json()["price"] is None
    patch(operator.client, path, price={"input_price": "1", "output_price": "2"})
    answer = patch(operator.client, path, price={"input_price": "0.5", "output_price": "2.5"})
    assert answer.json()["price"]["input_price"] == "0.500000"
    assert answer.json()["price"]["currency"] == "USD"
    assert operator.client.get(f"/api/v1/{path}").json()["price"] == answer.json()["price"]
    assert ModelPrice.objects.count() == 2


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("provider", "nobody"),
        ("context_window", 1),
        ("kind", "oracle"),
        ("price", {"input_price": "-1", "output_price": "1"}),
        ("price", {"input_price": "1"}),
        ("price", {"input_price": "1", "output_price": "1", "discount": "1"}),
        ("default_parameters", []),
        ("default_parameters", {"messages": []}),
        ("quirks", {"no_such_quirk": True}),
    ],
    ids=str,
)
def test_a_wrong_value_of_a_model_is_named_and_changes_nothing(
    field: str, value: Any, operator: Program, model: LanguageModel
) -> None:
    before = LanguageModel.objects.values().get()
    answer = patch(operator.client, f"language-models/{model.pk}", **{field: value})
    assert answer.status_code == 400, answer.content
    assert answer.json()["details"].keys() == {field}
    assert LanguageModel.objects.values().get() == before
    assert not ModelPrice.objects.exists()


def test_deleting_an_unused_provider_takes_its_models_along(
    operator: Program, model: LanguageModel
) -> None:
    answer = operator.client.delete(f"/api/v1/model-providers/{model.provider_id}")
    assert answer.status_code == 204
    assert not LanguageModel.objects.exists()


def test_operators_switch_a_tool_off_but_do_not_rewrite_it(
    operator: Program, clock_tool: Tool
) -> None:
    answer = patch(operator.client, "tools/current_time", is_enabled=False)
    assert answer.json()["is_enabled"] is False
    assert patch(operator.client, "tools/current_time", risk="safe").status_code == 400


def test_builders_read_the_sites_assets(belongings: Belongings, clock_tool: Tool) -> None:
    client = belongings.owner.client
    for path in ("model-providers", "language-models", "tools"):
        assert client.get(f"/api/v1/{path}").json()["count"] >= 1


def test_an_app_is_made_configured_published_and_restored(
    builder: Program, model: LanguageModel, clock_tool: Tool
) -> None:
    client = builder.client
    assert post(client, "apps", slug="helper", name="Helper").json()["owner"] == "bela"
    draft = client.get("/api/v1/apps/helper/draft")
    assert (draft.json()["revision"], draft["ETag"]) == (1, '"1"')
    changed = patch(
        client,
        "apps/helper/draft",
        revision=1,
        model="local/small",
        tools=["current_time"],
        opening_questions=["How late is it?"],
        review_keywords=[{"direction": "input", "keyword": "bomb"}],
        review_input_response="Let us talk of something else.",
        temperature=0.5,
    )
    assert (changed.json()["revision"], changed["ETag"]) == (2, '"2"')
    first = post(client, "apps/helper/publish", revision=2, note="First.")
    assert first.status_code == 201
    assert first.json()["config"]["tools"] == ["current_time"]
    patch(client, "apps/helper/draft", revision=3, temperature=1)
    post(client, "apps/helper/publish", revision=4)
    restored = post(client, "apps/helper/restore", version=1, revision=5)
    assert (restored.json()["temperature"], restored.json()["revision"]) == (0.5, 6)
    versions = client.get("/api/v1/apps/helper/versions").json()["results"]
    assert [(v["version"], v["revision"], v["note"]) for v in versions] == [
        (2, 4, ""),
        (1, 2, "First."),
    ]
    assert client.get("/api/v1/apps/helper/versions/1").json()["config"]["temperature"] == 0.5
    assert client.get("/api/v1/apps/helper").json()["published_version"] == 2


def test_a_draft_that_did_not_change_is_not_sent_again(belongings: Belongings) -> None:
    client = belongings.owner.client
    assert (
        client.get("/api/v1/apps/clerk/draft", headers={"If-None-Match": '"3"'}).status_code == 304
    )
    assert (
        client.get("/api/v1/apps/clerk/draft", headers={"If-None-Match": '"2"'}).status_code == 200
    )


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        pytest.param({"temperature": 1}, {"revision"}, id="without revision"),
        pytest.param({"revision": "x"}, {"revision"}, id="revision is no number"),
        pytest.param({"revision": 3, "nonsense": 1}, {"nonsense"}, id="unknown field"),
        pytest.param({"revision": 3, "version": 9}, {"version"}, id="not a field of the content"),
        pytest.param({"revision": 3, "model": "local/huge"}, {"model"}, id="unknown model"),
        pytest.param({"revision": 3, "tools": ["rm"]}, {"tools"}, id="unknown tool"),
        pytest.param(
            {"revision": 3, "temperature": 9, "top_p": 9},
            {"temperature", "top_p"},
            id="out of range",
        ),
    ],
)
def test_a_wrong_change_of_the_draft_is_named_and_changes_nothing(
    body: dict[str, Any], fields: set[str], belongings: Belongings
) -> None:
    before = list(AppConfig.objects.values())
    answer = patch(belongings.owner.client, "apps/clerk/draft", **body)
    assert (answer.status_code, answer.json()["details"].keys()) == (400, fields)
    assert list(AppConfig.objects.values()) == before


def test_a_draft_without_model_is_not_published(builder: Program) -> None:
    post(builder.client, "apps", slug="empty", name="Empty")
    answer = post(builder.client, "apps/empty/publish", revision=1)
    assert (answer.status_code, answer.json()["details"].keys()) == (400, {"model"})


def test_an_unknown_version_is_not_restored(belongings: Belongings) -> None:
    answer = post(belongings.owner.client, "apps/clerk/restore", version=9, revision=3)
    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def test_members_see_the_apps_that_are_open_to_them(
    belongings: Belongings, member: Program
) -> None:
    assert member.client.get("/api/v1/apps").json()["count"] == 0
    patch(belongings.owner.client, "apps/clerk", visibility="site")
    assert member.client.get("/api/v1/apps").json()["results"][0]["slug"] == "clerk"
    assert post(member.client, "apps", slug="mine", name="Mine").status_code == 403


def test_an_app_is_disabled_and_enabled_again(belongings: Belongings) -> None:
    client = belongings.owner.client
    assert patch(client, "apps/clerk", is_enabled=False).json()["status"] == "disabled"
    assert patch(client, "apps/clerk", name="Clerk").json()["status"] == "disabled"
    assert patch(client, "apps/clerk", is_enabled=True).json()["status"] == "published"


def test_an_editor_changes_an_app_that_the_owner_shared(
    belongings: Belongings, make_person: Callable[..., Program]
) -> None:
    editor = make_person("ed", role="builders")
    patch(belongings.owner.client, "apps/clerk", editors=["ed"])
    answer = patch(editor.client, "apps/clerk", description="Knows the time.")
    assert (answer.status_code, answer.json()["editors"]) == (200, ["ed"])


def test_a_key_for_named_apps_reaches_the_app_it_makes(
    builder: Program, belongings: Belongings
) -> None:
    limited = program_of(builder.user, can_manage=True, can_chat=True, all_apps=False)
    assert post(limited.client, "apps", slug="own", name="Own").status_code == 201
    assert [app["slug"] for app in limited.client.get("/api/v1/apps").json()["results"]] == ["own"]


def test_an_app_that_nobody_used_is_deleted(belongings: Belongings) -> None:
    belongings.conversation.delete()
    assert belongings.owner.client.delete("/api/v1/apps/clerk").status_code == 204
    assert not App.objects.exists()


def test_an_app_with_conversations_stays(belongings: Belongings) -> None:
    answer = belongings.owner.client.delete("/api/v1/apps/clerk")
    assert (answer.status_code, answer.json()["code"]) == (409, "in_use")
    assert answer.json()["details"] == {"conversations": 1}
    assert App.objects.exists()


def test_a_conversation_is_opened_renamed_and_deleted(belongings: Belongings) -> None:
    client = belongings.owner.client
    new = post(client, "apps/clerk/conversations")
    assert (new.status_code, new.json()["app"]) == (201, "clerk")
    path = f"conversations/{new.json()['conversation_id']}"
    assert patch(client, path, title="Time").json()["title"] == "Time"
    for title in ("", "  ", "x" * 61):
        assert patch(client, path, title=title).json()["details"].keys() == {"title"}
    assert client.delete(f"/api/v1/{path}").status_code == 204
    assert client.get(f"/api/v1/{path}").status_code == 404
    assert client.get("/api/v1/conversations?app=clerk").json()["count"] == 1


def test_the_turns_of_a_conversation_are_read_oldest_first(belongings: Belongings) -> None:
    finished_turn(belongings.owner, belongings.app, belongings.conversation)
    path = f"/api/v1/conversations/{belongings.conversation.pk}/messages"
    shown = belongings.owner.client.get(path).json()
    assert shown["count"] == 2
    first = shown["results"][0]
    assert first["message_id"] == str(belongings.message.pk)
    assert first["usage"] == {
        "input_tokens": 10, "output_tokens": 2, "total_tokens": 12, "confidence": None,
    }  # fmt: skip
    assert len(belongings.owner.client.get(f"{path}?page_size=500").json()["results"]) == 2


def test_the_steps_of_a_message_are_what_the_log_would_tell(belongings: Belongings) -> None:
    steps = belongings.owner.client.get(f"/api/v1/messages/{belongings.message.pk}/steps").json()
    assert [(s["id"], s["event"], s["answer"]) for s in steps["steps"]] == [
        ("message-1", "agent_message", "Late.")
    ]


LISTS = sorted(
    route
    for route, view in routes()
    if route.startswith("api/v1/")
    and getattr(view.callback, "cls").__name__.endswith(("List", "Conversations", "Messages"))  # noqa: B009
)


HOSTILE = (
    "nonsense=1", "app__owner=1", "_connector=OR", "kind=x%27)%20OR%201=1--", "app=%00", "name=%00",
    "source=%ff", "page=0", "page=x", "page=-1", "page=99999999999999999999", "page=%00",
    "ordering=password", "provider__secret__startswith=s", "page_size=x&page=2",
)  # fmt: skip


@pytest.mark.parametrize("query", HOSTILE)
def test_a_hostile_parameter_reaches_no_query(
    query: str, belongings: Belongings, operator: Program
) -> None:
    for route in LISTS:
        client = operator.client if "conversations" not in route else belongings.owner.client
        answer = client.get(f"{belongings.fill(route)}?{query}")
        assert answer.status_code in {200, 400, 404}, (route, answer.content)
        assert answer.json().get("results", []) == [], route


@pytest.mark.parametrize("identifier", ["0", "99999999999999999999999999"])
def test_a_number_beyond_every_row_is_not_found(identifier: str, operator: Program) -> None:
    assert operator.client.get(f"/api/v1/model-providers/{identifier}").status_code == 404


def fill_lists(program: Program, app: App, rows: int) -> None:
    """`rows` more of everything that is listed."""
    provider = ModelProvider.objects.get(name="local")
    asked = Conversation.objects.filter(messages__query__gt="")[0]
    for number in range(rows):
        ModelProvider.objects.create(name=f"p{number}")
        model = LanguageModel.objects.create(provider=provider, name=f"m{number}")
        for _price in range(2):
            model.prices.create(input_price=1, output_price=1)
        Tool.objects.create(name=f"t{number}", source="builtin", description="x", risk="safe")
        other = create_app(owner=program.user, slug=f"a{number}", name=f"A{number}")
        other.editors.add(program.user)
        Conversation.objects.create(app=app, caller=program.caller, entry=Entry.API)
        finished_turn(program, app, asked)
        publish(app, revision=app.configs.get(version=None).revision, user=program.user)


def test_a_list_costs_the_same_number_of_statements_at_3_and_at_30_rows(
    belongings: Belongings,
) -> None:
    client = belongings.owner.client
    counts: list[dict[str, int]] = []
    for rows in (3, 27):
        Tool.objects.all().delete()
        ModelProvider.objects.exclude(name="local").delete()
        LanguageModel.objects.exclude(name="small").delete()
        App.objects.exclude(slug="clerk").delete()
        fill_lists(belongings.owner, belongings.app, rows)
        counts.append({path: statements(client, belongings.fill(path)) for path in LISTS})
    assert counts[0] == counts[1]
    assert len(LISTS) >= 8
    assert max(counts[0].values()) <= 8, counts


def statements(client: APIClient, path: str) -> int:
    with CaptureQueriesContext(connection) as captured:
        assert len(client.get(path).json()["results"]) >= 3, path
    return len(captured)


SERIALIZERS = sorted(StrictModelSerializer.__subclasses__(), key=lambda s: s.__name__)


@pytest.mark.parametrize("serializer", SERIALIZERS, ids=lambda s: s.__name__)
def test_serializers_list_their_fields_and_refuse_every_other_column(
    serializer: type[ModelSerializer[Any]],
) -> None:
    assert serializer.Meta.fields != "__all__"
    fields = serializer().fields
    settable = {name for name, field in fields.items() if not field.read_only}
    columns = {field.name for field in cast(Any, serializer.Meta.model)._meta.get_fields()}
    columns |= {"owner_id", "is_staff", "published", "workspace", "role", "__proto__"}
    for column in columns - settable:
        check = serializer(data={column: "x"}, partial=True)
        assert not check.is_valid()
        assert column in check.errors, column
    assert not settable & {
        "id",
        "owner",
        "status",
        "created_at",
        "caller",
        "entry",
        "published_config",
    }


@pytest.mark.parametrize(
    ("editors", "said"),
    [(["mia", "nobody"], "nobody"), (["mia"] * 101, "100"), ([7, None], "null")],
    ids=["unknown", "too many", "no names"],
)
def test_editors_are_few_people_who_exist(
    belongings: Belongings, member: Program, editors: list[Any], said: str
) -> None:
    answer = patch(belongings.owner.client, "apps/clerk", editors=editors)

    assert answer.status_code == 400
    assert said in str(answer.json()["details"]["editors"])


def test_any_number_of_editors_is_read_in_one_statement(
    belongings: Belongings, make_person: Callable[..., Program]
) -> None:
    names = [make_person(f"editor{number}").user.username for number in range(5)]

    with CaptureQueriesContext(connection) as statements:
        answer = patch(belongings.owner.client, "apps/clerk", editors=names)

    assert sorted(answer.json()["editors"]) == names
    assert len([each for each in statements if "editor4" in each["sql"]]) == 1


def test_a_key_for_named_apps_changes_nothing_that_concerns_all(
    belongings: Belongings, make_person: Callable[..., Program]
) -> None:
    limited = make_person("otto", role=OPERATORS, can_manage=True, all_apps=False)

    answer = patch(
        limited.client,
        f"model-providers/{belongings.provider.pk}",
        base_url="http://127.0.0.1:1/v1",
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "key_limited")


def test_conversations_with_an_app_out_of_reach_are_not_found(
    belongings: Belongings, member: Program
) -> None:
    message = finished_turn(member, belongings.app)
    paths = ["", f"/{message.conversation_id}", f"/{message.conversation_id}/messages"]
    App.objects.update(visibility=App.Visibility.PRIVATE)

    answers = [member.client.get(f"/api/v1/conversations{path}") for path in paths]

    assert answers[0].json()["results"] == []
    assert [answer.status_code for answer in answers[1:]] == [404, 404]
