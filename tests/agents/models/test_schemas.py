"""Tool schemas on the wire."""

from agents.models.schemas import plain_schema


def test_references_are_replaced_by_what_they_name() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"from": {"$ref": "#/$defs/Place", "description": "start"}},
        "$defs": {
            "Place": {"type": "object", "properties": {"at": {"$ref": "#/$defs/Point"}}},
            "Point": {"type": "array", "items": {"type": "number"}},
        },
    }
    assert plain_schema(schema) == {
        "type": "object",
        "properties": {
            "from": {
                "type": "object",
                "properties": {"at": {"type": "array", "items": {"type": "number"}}},
                "description": "start",
            }
        },
    }


def test_a_reference_to_itself_ends() -> None:
    node = {"type": "object", "properties": {"next": {"$ref": "#/definitions/Node"}}}
    schema = {
        "type": "object",
        "properties": {"first": {"$ref": "#/definitions/Node"}},
        "definitions": {"Node": node},
    }
    assert plain_schema(schema)["properties"]["first"] == {
        "type": "object",
        "properties": {"next": {}},
    }


def test_parameters_may_be_called_like_keywords() -> None:
    schema = {
        "type": "object",
        "properties": {"$id": {"type": "string"}, "definitions": {"type": "string"}},
    }
    assert plain_schema(schema) == schema


def test_no_parameters_are_an_empty_object() -> None:
    assert plain_schema({}) == {"type": "object", "properties": {}}


def test_a_reference_to_another_document_takes_anything() -> None:
    schema = {"properties": {"a": {"$ref": "https://example.org/place.json"}}}
    assert plain_schema(schema)["properties"] == {"a": {}}
