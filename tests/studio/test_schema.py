"""The one declaration of the configuration's fields."""

import json
from typing import Any

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.studio.drafts import change_draft, draft_of
from apps.studio.models import App, AppConfig
from apps.studio.schema import AppConfigSerializer, content_hash, dump_config
from tests.studio.conftest import FULL

BOOKKEEPING = {
    "id", "app", "state", "revision", "version", "note", "content_hash",
    "published_by", "published_at", "created_at", "updated_at",
}  # fmt: skip


def test_every_column_of_a_configuration_is_content_or_named_bookkeeping() -> None:
    columns = {field.name for field in AppConfig._meta.concrete_fields}

    assert columns - BOOKKEEPING <= AppConfigSerializer().fields.keys()


def test_what_is_written_is_what_is_read(full_app: App) -> None:
    assert dump_config(draft_of(full_app)) == FULL


def test_every_field_of_the_full_sample_differs_from_its_default(app: App) -> None:
    empty = dump_config(draft_of(app))

    assert [name for name in FULL if empty[name] == FULL[name]] == []


def test_dumps_are_equal_to_the_byte_and_in_the_order_of_declaration(full_app: App) -> None:
    first, second = (json.dumps(dump_config(draft_of(full_app))) for _ in range(2))

    assert first == second
    assert list(dump_config(draft_of(full_app))) == list(AppConfigSerializer.Meta.fields)


def test_the_hash_knows_no_order_of_keys_but_the_order_of_lists(full_app: App) -> None:
    content = dump_config(draft_of(full_app))
    turned = dict(reversed(content.items()))
    resorted = content | {"tools": sorted(content["tools"])}

    assert content_hash(turned) == content_hash(content)
    assert content_hash(resorted) != content_hash(content)


def test_reading_and_dumping_a_draft_costs_four_statements(full_app: App) -> None:
    with CaptureQueriesContext(connection) as statements:
        dump_config(draft_of(full_app))

    assert len(statements) == 4


def test_line_ends_of_browsers_become_line_feeds(app: App) -> None:
    change_draft(app, revision=1, changes={"preset_prompt": "one\r\ntwo\rthree"})

    assert draft_of(app).preset_prompt == "one\ntwo\nthree"


@pytest.mark.parametrize(
    ("changes", "field", "said"),
    [
        ({"colour": "red"}, "colour", "Known here: model, "),
        ({"colour": 1, "model": 7}, "model", "provider/name"),
        ({"colour": 1, "model": 7}, "colour", "Unknown field."),
        ({"preset_prompt": 5}, "preset_prompt", "valid string"),
        ({"model": "Acme/none"}, "model", '"Acme/none"'),
        ({"model": 7}, "model", "provider/name"),
        ({"tools": ["clock", "nope"]}, "tools", "'nope'"),
        ({"tools": ["clock", "clock"]}, "tools", "clock"),
        ({"tools": "clock"}, "tools", "list"),
        ({"temperature": 2.1}, "temperature", "2"),
        ({"temperature": "nan"}, "temperature", ""),
        ({"parameters": [1]}, "parameters", "JSON object"),
        ({"parameters": {"stream": False}}, "parameters", "stream"),
        ({"parameters": {"x": float("inf")}}, "parameters", "valid JSON"),
        ({"parameters": {"x": "\x00"}}, "parameters", "NUL"),
        ({"parameters": {"x": "\ud800"}}, "parameters", "half"),
        ({"review_keywords": [{"keyword": " "}]}, "review_keywords", "blank"),
        ({"review_keywords": [{"keyword": "x", "direction": "up"}]}, "review_keywords", "up"),
        ({"opening_questions": [""]}, "opening_questions", "blank"),
        ({"opening_questions": ["?"] * 21}, "opening_questions", "20"),
        ({"max_iterations": 0}, "max_iterations", "1"),
        ({"on_busy": "panic"}, "on_busy", "panic"),
    ],
    ids=str,
)
@pytest.mark.usefixtures("tools")
def test_a_wrong_value_is_refused_by_name_and_changes_nothing(
    app: App, changes: dict[str, Any], field: str, said: str
) -> None:
    before = dump_config(draft_of(app))

    with pytest.raises(ValidationError) as refusal:
        change_draft(app, revision=1, changes={"dialog_round": 3, **changes})

    assert said in " ".join(refusal.value.message_dict[field])
    assert dump_config(draft_of(app)) == before
    assert draft_of(app).revision == 1


def test_a_list_that_is_too_long_is_refused_before_any_tool_is_read(app: App) -> None:
    names = [f"tool-{number}" for number in range(5_000)]

    with (
        CaptureQueriesContext(connection) as statements,
        pytest.raises(ValidationError) as refusal,
    ):
        change_draft(app, revision=1, changes={"tools": names})

    assert refusal.value.message_dict.keys() == {"tools"}
    assert "128" in str(refusal.value)
    assert len(statements) == 0


def test_of_many_unknown_fields_twenty_are_named_and_the_rest_is_counted(app: App) -> None:
    with pytest.raises(ValidationError) as refusal:
        change_draft(app, revision=1, changes={f"field{number}": 1 for number in range(25)})

    said = refusal.value.message_dict
    assert len(said) == 21
    assert said["non_field_errors"] == ["And 5 more unknown fields."]
