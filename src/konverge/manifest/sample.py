"""Sample: an object of a kind to begin with, with a value for every field that must have one.

The value is the field's example, its default, its first choice, or the least that its bounds allow. A pattern or a
rule may want more: then the author edits the sample, and it is not written again.
"""

from __future__ import annotations

from typing import Any

from konverge.manifest.crd import crd
from konverge.manifest.operator import OwnKind

Json = dict[str, Any]


def sample(kind: OwnKind) -> Json:
    """Return an object of a kind, in the version that is stored."""
    definition = kind.stored
    schema = _schema(kind)
    made: Json = {
        "apiVersion": f"{definition.group}/{definition.version}",
        "kind": definition.kind,
        "metadata": {"name": f"{definition.singular}-sample"},
    }
    if "spec" in schema["properties"]:
        made["spec"] = _value(schema["properties"]["spec"])
    return made


def _schema(kind: OwnKind) -> Json:
    versions = crd(*kind.versions, descriptions=False)["spec"]["versions"]
    found: Json = next(version["schema"]["openAPIV3Schema"] for version in versions if version["storage"])
    return found


def _value(schema: Json) -> Any:
    for known in ("example", "default"):
        if known in schema:
            return schema[known]
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("x-kubernetes-int-or-string"):
        return 1
    return _OF_TYPE.get(schema.get("type", ""), _object)(schema)


def _object(schema: Json) -> Json:
    properties = schema.get("properties", {})
    return {name: _value(properties[name]) for name in schema.get("required", ()) if name in properties}


def _array(schema: Json) -> list[Any]:
    return [_value(schema["items"]) for _ in range(schema.get("minItems", 0))]


def _string(schema: Json) -> str:
    word: str = _FORMATS.get(schema.get("format", ""), "sample")
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(word) + schema.get("minLength", 0))
    return word.ljust(least, "x")[:most]


def _number(schema: Json) -> float:
    """Return the least allowed number from 1 on, or the most where that is less."""
    step = schema.get("multipleOf", 1)
    least = schema.get("minimum", 1) + (step if schema.get("exclusiveMinimum") else 0)
    if "maximum" in schema:
        least = min(least, schema["maximum"] - (step if schema.get("exclusiveMaximum") else 0))
    found: float = -(-least // step) * step
    return found


def _boolean(schema: Json) -> bool:  # noqa: ARG001 - like the others, which look
    return False


_OF_TYPE = {
    "array": _array,
    "boolean": _boolean,
    "integer": _number,
    "number": _number,
    "object": _object,
    "string": _string,
}
_FORMATS = {"date-time": "2026-01-01T00:00:00Z", "date": "2026-01-01", "duration": "1m", "byte": "c2FtcGxl"}
