"""Tool schemas in the subset of JSON Schema that model services take."""

from collections.abc import Mapping
from typing import Any

DROPPED = frozenset({"$schema", "$id", "$defs", "definitions", "$comment"})


def plain_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema without `$schema` and definitions, local `$ref`s replaced by what they name.

    A reference inside its own definition becomes the empty schema, which takes anything.
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
        return {
            key: _inline(value, root=root, open_references=open_references)
            for key, value in node.items()
            if key not in DROPPED
        }
    if reference in open_references:
        return {}
    beside = {key: value for key, value in node.items() if key != "$ref"}
    named = _resolve(reference, root)
    return _inline({**named, **beside}, root=root, open_references=(*open_references, reference))


def _resolve(reference: str, root: Mapping[str, Any]) -> Mapping[str, Any]:
    """What a local reference such as `#/$defs/Place` names. Raises KeyError for any other."""
    node: Any = root
    for part in reference.removeprefix("#/").split("/"):
        node = node[part.replace("~1", "/").replace("~0", "~")]
    if not isinstance(node, Mapping):
        raise KeyError(reference)
    return node
