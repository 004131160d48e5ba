"""Whether a model service would take a tool: one that it refuses spoils the whole request."""

import json
import re
from functools import lru_cache

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

from tools.definition import ToolDefinition
from tools.plain_text import shorten

LONGEST_FAULT = 300
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def fault_of(definition: ToolDefinition) -> str:
    """What is wrong with a definition, in words for its author; "" when nothing is."""
    if not _NAME.fullmatch(definition.name):
        return "its name has other characters than letters, digits, _ and -, or more than 64"
    try:
        written = json.dumps(definition.parameters, sort_keys=True, allow_nan=False)
    except (TypeError, ValueError) as error:
        return shorten(f"its parameters are not JSON: {error}", LONGEST_FAULT)
    return _fault_in_schema(written)


@lru_cache(maxsize=1024)
def _fault_in_schema(written: str) -> str:
    schema = json.loads(written)
    if not isinstance(schema, dict) or schema.get("type", "object") != "object":
        return "its parameters are not a JSON Schema of type object"
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        fault = f"its parameters are not a JSON Schema, at {error.json_path}: {error.message}"
        return shorten(fault, LONGEST_FAULT)
    return ""
