"""Tool schemas in the subset of JSON Schema that model services take."""

from collections.abc import Mapping
from typing import Any

DROPPED = frozenset({"$schema", "$id", "$defs", "definitions", "$comment"})


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without `$schema` and definitions, local `$ref`s replaced by what they name.

    A reference inside its own definition, or to another document, becomes the empty schema: the model may
    send anything there, and the gate checks it against the schema as it was.
    """
    plain = _inline(schema, root=schema, open_references=())
    return {"type": "object", "properties": {}, **plain}


def _inline(node: Any, *, root: Mapping[str, Any], open_references: tuple[str, ...]) -> Any:
    if isinstance(node, list):
        return [_inline(one, root=root, open_references=open_references) for one in node]
    if not isinstance(node, Mapping):
        return node
    reference = node.get("$ref")
    if not isinstance(reference, str):
        kept = {key: value for key, value in node.items() if key not in DROPPED}
        return {
            key: _inline_keyword(key, value, root=root, open_references=open_references)
            for key, value in kept.items()
        }
    named = None if reference in open_references else _resolve(reference, root)
    if named is None:
        return {}
    beside = {key: value for key, value in node.items() if key != "$ref"}
    return _inline({**named, **beside}, root=root, open_references=(*open_references, reference))


def _inline_keyword(
    keyword: str, value: Any, *, root: Mapping[str, Any], open_references: tuple[str, ...]
) -> Any:
    """The value of a keyword; below `properties` stand names, which may be spelled like keywords."""
    if keyword != "properties" or not isinstance(value, Mapping):
        return _inline(value, root=root, open_references=open_references)
    return {
        name: _inline(one, root=root, open_references=open_references)
        for name, one in value.items()
    }


def _resolve(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """What a local reference such as `#/$defs/Place` names; None for any other."""
    node: Any = root
    for part in reference.removeprefix("#/").split("/"):
        name = part.replace("~1", "/").replace("~0", "~")
        node = node.get(name) if isinstance(node, Mapping) else None
    return node if isinstance(node, Mapping) else None
