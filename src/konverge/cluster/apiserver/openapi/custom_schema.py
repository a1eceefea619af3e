"""A CRD's schema as the documents show it: in OpenAPI v3, and in v2, which can say less.

Only what a structural schema knows is shown, and nothing that says nothing (`nullable: false`, an empty list). An
int-or-string gets the `anyOf` that says so. In v2 there are no junctors, nothing is nullable, and what keeps unknown
fields is of no type, as kubectl would take what is listed for all there is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from konverge.cluster.apiserver.openapi.sample import embedded_meta

JsonSchema = dict[str, Any]

_PRESERVES: Final = "x-kubernetes-preserve-unknown-fields"
_INT_OR_STRING: Final = "x-kubernetes-int-or-string"
_EMBEDDED: Final = "x-kubernetes-embedded-resource"
_EITHER: Final = [{"type": "integer"}, {"type": "string"}]
_SHOWN: Final = frozenset(
    (
        *("type", "nullable", "description", "title", "default", "externalDocs", "example"),
        *(_PRESERVES, _EMBEDDED, _INT_OR_STRING, "x-kubernetes-validations"),
        *("x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type"),
        *("format", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength", "pattern"),
        *("maxItems", "minItems", "uniqueItems", "multipleOf", "enum", "maxProperties", "minProperties", "required"),
        *("allOf", "anyOf", "oneOf", "not", "properties", "items", "additionalProperties"),
    )
)
_ANY_VALUE: Final = ("default", "example")
_V3_ONLY: Final = ("allOf", "anyOf", "oneOf", "not", "nullable", "default")


def published_v3(schema: JsonSchema) -> JsonSchema:
    """Return a CRD's schema as OpenAPI v3 shows it, without what the server adds to the root."""
    return _embedding(_kept(schema))


def published_v2(schema: JsonSchema) -> JsonSchema | None:
    """Return a CRD's schema as OpenAPI v2 shows it, or None where it keeps unknown fields: then nothing is said."""
    if schema.get(_PRESERVES):
        return None
    return _embedding(_narrowed(_kept(schema)), is_v2=True)


def _each(schema: JsonSchema, change: Callable[[JsonSchema], JsonSchema]) -> JsonSchema:
    """Return a schema whose children are changed; junctors are no children."""
    found = dict(schema)
    for name in ("items", "additionalProperties"):
        if isinstance(found.get(name), dict):
            found[name] = change(found[name])
    if "properties" in found:
        found["properties"] = {name: change(child) for name, child in found["properties"].items()}
    return found


def _kept(schema: JsonSchema) -> JsonSchema:
    """Return what is shown of a schema, with int-or-strings spelled out."""
    return _unfolded(_each(_said(schema), _kept))


def _said(schema: JsonSchema) -> JsonSchema:
    found = {name: value for name, value in schema.items() if name in _SHOWN and _says(name, value)}
    for name in ("allOf", "anyOf", "oneOf"):
        if name in found:
            found[name] = [_nested(part) for part in found[name]]
    if "not" in found:
        found["not"] = _nested(found["not"])
    return found


def _nested(schema: JsonSchema) -> JsonSchema:
    return _each(_said(schema), _nested)


def _says(name: str, value: Any) -> bool:
    if name in _ANY_VALUE:
        return value is not None
    if name == "additionalProperties":
        return value is not None
    return not (value is None or value is False or value in ("", [], {}))


def _unfolded(schema: JsonSchema) -> JsonSchema:
    if not schema.get(_INT_OR_STRING):
        return schema
    first = (schema.get("allOf") or [{}])[0]
    if schema.get("anyOf") == _EITHER or first == {"anyOf": _EITHER}:
        return schema
    if "anyOf" not in schema:
        return {**schema, "anyOf": _EITHER}
    return {**schema, "allOf": [{"anyOf": _EITHER}, *schema.get("allOf", ())]}


def _narrowed(schema: JsonSchema) -> JsonSchema:
    """Return what v2 can say of a schema."""
    found = {name: value for name, value in schema.items() if name not in _V3_ONLY}
    is_nullable, is_open = schema.get("nullable"), schema.get(_PRESERVES)
    if is_nullable or is_open:
        found.pop("items", None)
        found.pop("properties", None)
    if is_nullable or (found.get("type") == "array" and "items" not in found):
        found.pop("type", None)
    if is_open and found.get("type") == "object":
        del found["type"]
    return _each(_requiring_less(found), _narrowed)


def _requiring_less(schema: JsonSchema) -> JsonSchema:
    """Return a schema that does not require what may be null."""
    below = schema.get("properties", {})
    required = [name for name in schema.get("required", ()) if not below.get(name, {}).get("nullable")]
    values = schema.get("additionalProperties")
    if isinstance(values, dict) and values.get("nullable"):
        required = []
    found = {name: value for name, value in schema.items() if name != "required"}
    return {**found, "required": required} if required else found


def _embedding(schema: JsonSchema, *, is_v2: bool = False) -> JsonSchema:
    """Return a schema whose embedded resources have what every object has."""
    found = _each(schema, lambda child: _embedding(child, is_v2=is_v2))
    if not found.get(_EMBEDDED) or (is_v2 and found.get(_PRESERVES)):
        return found
    required = list(found.get("required", ()))
    required += [name for name in ("kind", "apiVersion") if name not in required]
    return {**found, "properties": {**found.get("properties", {}), **embedded_meta()}, "required": required}
