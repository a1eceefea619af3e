"""From OpenAPI v3 to v2: the definitions say the same in fewer words.

v2 has no defaults, lets a reference stand beside a description, and calls a quantity or an int-or-string a string.
"""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.builtin.schemas import REFERENCE

JsonSchema = dict[str, Any]


def definition(schema: JsonSchema) -> JsonSchema:
    """Return a schema's form in v2."""
    found: JsonSchema = {}
    for name, value in schema.items():
        if name == "default":
            continue
        if name == "oneOf":
            found["type"] = "string"
        elif name == "allOf":
            found["$ref"] = _reference(value[0]["$ref"])
        elif name == "$ref":
            found[name] = _reference(value)
        elif name == "properties":
            found[name] = {key: definition(child) for key, child in value.items()}
        elif name in ("items", "additionalProperties") and isinstance(value, dict):
            found[name] = definition(value)
        else:
            found[name] = value
    return found


def _reference(text: str) -> str:
    return "#/definitions/" + text.removeprefix(REFERENCE)
