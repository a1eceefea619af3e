"""New CRDs: the rules of structural schemas."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CRDS, crd, of_spec

case = Cases("CRD schema")
TEXT = {"type": "string"}


def _refused(s: Script, schema: dict[str, Any], **version: Any) -> None:
    """Ask for a CRD with a schema; a dry run, so that nothing stays where it is taken."""
    s.post(CRDS, crd("schemas", schema, **version), dryRun="All")


def _field(s: Script, *fields: dict[str, Any]) -> None:
    for each in fields:
        _refused(s, of_spec(x=each))


@case("that is missing")
def _(s: Script) -> None:
    made = crd("schemaless")
    del made["spec"]["versions"][0]["schema"]
    s.post(CRDS, made)
    made["spec"]["versions"][0]["schema"] = {}
    s.post(CRDS, made)


@case("without a type at the root")
def _(s: Script) -> None:
    _refused(s, {"properties": {}})
    _refused(s, {"type": "string"})
    _refused(s, {"type": "array", "items": TEXT})


@case("without a type below")
def _(s: Script) -> None:
    _field(s, {}, {"description": "no type"}, {"type": ""})


@case("with an unknown type")
def _(s: Script) -> None:
    _field(s, {"type": "text"}, {"type": "null"})


@case("with an array without items")
def _(s: Script) -> None:
    _field(s, {"type": "array"}, {"type": "array", "items": {}})


@case("with items of several schemas")
def _(s: Script) -> None:
    _field(s, {"type": "array", "items": [TEXT, TEXT]})


@case("with properties and additional properties")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": TEXT},
        {"type": "object", "properties": {"a": TEXT}, "additionalProperties": False},
        {"type": "object", "additionalProperties": True},
    )


@case("with additional properties at the root")
def _(s: Script) -> None:
    _refused(s, {"type": "object", "additionalProperties": TEXT})


@case("with words that are forbidden")
def _(s: Script) -> None:
    _field(
        s,
        {"$ref": "#/definitions/x"},
        {"type": "object", "patternProperties": {"a": TEXT}},
        {"type": "object", "dependencies": {"a": ["b"]}},
        {"type": "array", "items": TEXT, "additionalItems": TEXT},
        {"type": "array", "items": TEXT, "uniqueItems": True},
        {"type": "string", "id": "x"},
        {"type": "object", "definitions": {"a": TEXT}},
    )


@case("with a schema that names its dialect")
def _(s: Script) -> None:
    _refused(s, {"type": "object", "$schema": "http://json-schema.org/draft-04/schema#"})


@case("with a pattern that is none")
def _(s: Script) -> None:
    _field(s, {"type": "string", "pattern": "["}, {"type": "string", "pattern": "(?=x)"})


@case("with formats known and unknown")
def _(s: Script) -> None:
    _field(s, {"type": "string", "format": "date-time"}, {"type": "string", "format": "colour"})
    _field(s, {"type": "integer", "format": "int32"}, {"type": "string", "format": "k8s-short-name"})


@case("with types inside of allOf, anyOf, oneOf and not")
def _(s: Script) -> None:
    for word in ("allOf", "anyOf", "oneOf"):
        _field(s, {"type": "string", word: [{"type": "string"}]})
    _field(s, {"type": "string", "not": {"type": "string"}})


@case("with properties inside of anyOf that are not outside")
def _(s: Script) -> None:
    _field(s, {"type": "object", "anyOf": [{"properties": {"a": {"minimum": 1}}}]})
    _field(s, {"type": "object", "properties": {"a": TEXT}, "anyOf": [{"properties": {"a": {"pattern": "x"}}}]})


@case("with words inside of not that may only stand outside")
def _(s: Script) -> None:
    for word, value in (("default", "x"), ("nullable", True), ("description", "x"), ("title", "x")):
        _field(s, {"type": "string", "not": {word: value}})
    _field(s, {"type": "object", "not": {"x-kubernetes-preserve-unknown-fields": True}})


@case("with additional properties inside of allOf")
def _(s: Script) -> None:
    _field(s, {"type": "object", "additionalProperties": TEXT, "allOf": [{"additionalProperties": {"pattern": "x"}}]})


@case("with int-or-string")
def _(s: Script) -> None:
    _field(
        s,
        {"x-kubernetes-int-or-string": True},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer"}, {"type": "string"}]},
        {"x-kubernetes-int-or-string": True, "type": "string"},
        {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "string"}, {"type": "integer"}]},
        {"x-kubernetes-int-or-string": False, "anyOf": [{"type": "integer"}, {"type": "string"}]},
    )


@case("with embedded resources")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "object", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        {"type": "object", "x-kubernetes-embedded-resource": True},
        {"type": "string", "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
    )
    _refused(s, {"type": "object", "x-kubernetes-embedded-resource": True})


@case("with unknown fields kept where there are none")
def _(s: Script) -> None:
    _field(s, {"type": "string", "x-kubernetes-preserve-unknown-fields": True})
    _field(s, {"x-kubernetes-preserve-unknown-fields": True})
    _field(s, {"type": "object", "x-kubernetes-preserve-unknown-fields": False})


@case("with an unknown extension")
def _(s: Script) -> None:
    _field(s, {"type": "string", "x-example": True}, {"type": "string", "x-kubernetes-nonsense": True})


@case("with metadata that says too much")
def _(s: Script) -> None:
    for metadata in (
        {"type": "object"},
        {"type": "object", "properties": {"name": {"type": "string", "pattern": "^a"}}},
        {"type": "object", "properties": {"generateName": TEXT}},
        {"type": "object", "properties": {"labels": {"type": "object", "additionalProperties": TEXT}}},
        {"type": "object", "properties": {"name": {"type": "integer"}}},
        {"type": "object", "required": ["name"]},
        {"type": "string"},
    ):
        _refused(s, {"type": "object", "properties": {"metadata": metadata}})


@case("with kinds and versions described")
def _(s: Script) -> None:
    _refused(s, {"type": "object", "properties": {"apiVersion": TEXT, "kind": TEXT}})
    _refused(s, {"type": "object", "properties": {"apiVersion": {"type": "integer"}}})
    _refused(s, {"type": "object", "properties": {"kind": {"type": "string", "enum": ["X"]}}})


@case("with list types that do not fit")
def _(s: Script) -> None:
    entry = {"type": "object", "properties": {"name": TEXT}}
    _field(
        s,
        {"type": "string", "x-kubernetes-list-type": "atomic"},
        {"type": "array", "items": TEXT, "x-kubernetes-list-type": "bag"},
        {"type": "array", "items": entry, "x-kubernetes-list-type": "set"},
        {"type": "array", "items": TEXT, "x-kubernetes-list-type": "map"},
        {"type": "array", "items": entry, "x-kubernetes-list-type": "map"},
        {"type": "array", "items": entry, "x-kubernetes-list-map-keys": ["name"]},
    )


@case("with map keys that do not fit")
def _(s: Script) -> None:
    entry = {"type": "object", "properties": {"name": TEXT, "parts": {"type": "object"}}, "required": ["name"]}
    lists = {"type": "array", "items": entry, "x-kubernetes-list-type": "map"}
    for keys in (["none"], ["name", "name"], ["parts"], []):
        _field(s, {**lists, "x-kubernetes-list-map-keys": keys})
    optional = {"type": "object", "properties": {"name": TEXT}}
    _field(s, {**lists, "items": optional, "x-kubernetes-list-map-keys": ["name"]})


@case("with map types")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "object", "properties": {"a": TEXT}, "x-kubernetes-map-type": "atomic"},
        {"type": "object", "properties": {"a": TEXT}, "x-kubernetes-map-type": "set"},
        {"type": "string", "x-kubernetes-map-type": "atomic"},
    )


@case("with sets of sets")
def _(s: Script) -> None:
    inner = {"type": "array", "items": TEXT}
    _field(s, {"type": "array", "items": inner, "x-kubernetes-list-type": "set"})
    atomic = {**inner, "x-kubernetes-list-type": "atomic"}
    _field(s, {"type": "array", "items": atomic, "x-kubernetes-list-type": "set"})


@case("with items that may be null in a set")
def _(s: Script) -> None:
    _field(s, {"type": "array", "items": {"type": "string", "nullable": True}, "x-kubernetes-list-type": "set"})


@case("with defaults that do not fit")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "string", "default": 1},
        {"type": "integer", "minimum": 3, "default": 2},
        {"type": "string", "enum": ["a"], "default": "b"},
        {"type": "string", "default": None},
        {"type": "string", "nullable": True, "default": None},
        {"type": "object", "properties": {"a": TEXT}, "required": ["a"], "default": {}},
    )


@case("with defaults that would be pruned")
def _(s: Script) -> None:
    _field(s, {"type": "object", "properties": {"a": TEXT}, "default": {"a": "x", "b": "y"}})
    _field(s, {"type": "array", "items": {"type": "object"}, "default": [{"b": 1}]})


@case("with defaults in places that have none")
def _(s: Script) -> None:
    _refused(s, {"type": "object", "default": {}})
    _refused(s, {"type": "object", "properties": {"metadata": {"type": "object", "default": {"name": "x"}}}})
    _refused(s, {"type": "object", "properties": {"kind": {"type": "string", "default": "Schema"}}})


@case("with defaults that depend on the list type")
def _(s: Script) -> None:
    _field(s, {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set", "default": ["a", "a"]})
    _field(s, {"type": "array", "items": {**TEXT, "default": "x"}, "default": ["a", "a"]})


@case("with numbers that are no limits")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "string", "maxLength": -1},
        {"type": "string", "minLength": 1.5},
        {"type": "array", "items": TEXT, "maxItems": -3},
        {"type": "integer", "multipleOf": 0},
        {"type": "integer", "minimum": "1"},
        {"type": "integer", "exclusiveMinimum": 3},
        {"type": "object", "required": "a"},
    )


@case("with enums")
def _(s: Script) -> None:
    _field(
        s,
        {"type": "string", "enum": ["a", "b"]},
        {"type": "string", "enum": ["a", "a"]},
        {"type": "string", "enum": []},
        {"type": "string", "enum": [1, "a", None, {"b": 2}]},
    )
