"""Constraint: what one marker adds to a schema, and which JSON types it is for. A table, as markers are many."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from konverge.api import bounds, choice, markers, rule, schema_marker
from konverge.manifest.place import Place

Schema = dict[str, Any]

NUMBER: Final = ("integer", "number")
STRING: Final = ("string",)
LIST: Final = ("array",)
OBJECT: Final = ("object",)
ANY: Final = ()

_WORDS: Final = {NUMBER: "a number", STRING: "a string", LIST: "a list", OBJECT: "a map or a model"}

_TABLE: Final[Mapping[type, tuple[tuple[str, ...], Callable[[Any], Schema]]]] = {
    bounds.Minimum: (NUMBER, lambda marker: _bound("minimum", "exclusiveMinimum", marker)),
    bounds.Maximum: (NUMBER, lambda marker: _bound("maximum", "exclusiveMaximum", marker)),
    bounds.MultipleOf: (NUMBER, lambda marker: {"multipleOf": _number(marker.value)}),
    bounds.MinLength: (STRING, lambda marker: {"minLength": marker.value}),
    bounds.MaxLength: (STRING, lambda marker: {"maxLength": marker.value}),
    bounds.Pattern: (STRING, lambda marker: {"pattern": marker.value}),
    bounds.MinItems: (LIST, lambda marker: {"minItems": marker.value}),
    bounds.MaxItems: (LIST, lambda marker: {"maxItems": marker.value}),
    bounds.MinProperties: (OBJECT, lambda marker: {"minProperties": marker.value}),
    bounds.MaxProperties: (OBJECT, lambda marker: {"maxProperties": marker.value}),
    choice.Choices: (ANY, lambda marker: {"enum": list(marker.values)}),
    markers.ListAtomic: (LIST, lambda _: {"x-kubernetes-list-type": "atomic"}),
    markers.ListSet: (LIST, lambda _: {"x-kubernetes-list-type": "set"}),
    markers.ListMap: (
        LIST,
        lambda marker: {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": list(marker.keys)},
    ),
    markers.MapAtomic: (OBJECT, lambda _: {"x-kubernetes-map-type": "atomic"}),
    markers.MapGranular: (OBJECT, lambda _: {"x-kubernetes-map-type": "granular"}),
    rule.Rule: (ANY, lambda marker: {"x-kubernetes-validations": [rule_schema(marker)]}),
    rule.Immutable: (
        ANY,
        lambda _: {"x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "field is immutable"}]},
    ),
    schema_marker.Format: (ANY, lambda marker: {"format": marker.name}),
    schema_marker.Nullable: (ANY, lambda _: {"nullable": True}),
    schema_marker.Title: (ANY, lambda marker: {"title": marker.text}),
    schema_marker.Doc: (ANY, lambda marker: {"description": marker.text}),
    schema_marker.Example: (ANY, lambda marker: {"example": marker.value}),
    schema_marker.ExternalDocs: (ANY, lambda marker: {"externalDocs": _external(marker)}),
    schema_marker.PreserveUnknownFields: (ANY, lambda _: {"x-kubernetes-preserve-unknown-fields": True}),
    schema_marker.EmbeddedResource: (ANY, lambda _: {"x-kubernetes-embedded-resource": True}),
}


def constraint(marker: Any, schema: Schema, place: Place) -> Schema:
    """Return what a marker adds to a schema; nothing for a marker that is none of ours, or says nothing to servers."""
    if isinstance(marker, bounds.UniqueItems):
        raise place.refusal("no server takes uniqueItems in a CRD", "use kv.ListSet(), which the server checks quickly")
    if type(marker) not in _TABLE:
        return {}
    types, make = _TABLE[type(marker)]
    _check_type(marker, types, schema=schema, place=place)
    added = make(marker)
    _check_whole(added, schema, place)
    return added


def rule_schema(marker: rule.Rule) -> Schema:
    """Return a rule as a schema has it."""
    values = {
        "rule": marker.rule,
        "message": marker.message,
        "messageExpression": marker.message_expression,
        "reason": marker.reason,
        "fieldPath": marker.field_path,
        "optionalOldSelf": marker.optional_old_self,
    }
    return {name: value for name, value in values.items() if value is not None}


def _check_type(marker: Any, types: tuple[str, ...], *, schema: Schema, place: Place) -> None:
    textual = "x-kubernetes-int-or-string" in schema and types == STRING
    if types and not textual and schema.get("type") not in types:
        found = schema.get("type", "a value of any type")
        raise place.refusal(
            f"{type(marker).__name__} is for {_WORDS[types]}, and this is {found}",
            "take the marker away, or put it on the items with Annotated",
        )


def _check_whole(added: Schema, schema: Schema, place: Place) -> None:
    """Refuse a bound that is no whole number on a value that is one."""
    found = [added[name] for name in ("minimum", "maximum", "multipleOf") if name in added]
    if schema.get("type") == "integer" and any(isinstance(value, float) for value in found):
        raise place.refusal(f"{found[0]} is no whole number, and the attribute is one", "write a whole number")


def _bound(name: str, exclusive: str, marker: bounds.Minimum | bounds.Maximum) -> Schema:
    found: Schema = {name: _number(marker.value)}
    return {**found, exclusive: True} if marker.exclusive else found


def _number(value: float) -> float:
    return int(value) if float(value).is_integer() else value


def _external(marker: schema_marker.ExternalDocs) -> Schema:
    return {"url": marker.url, **({"description": marker.description} if marker.description else {})}
