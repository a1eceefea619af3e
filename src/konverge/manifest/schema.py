"""Schema: an author's types as the structural schema that a CRD has."""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from typing import Any, get_args, get_origin

from konverge.api.choice import holds_choice, values_of
from konverge.api.declared import declared_types
from konverge.api.markers import ListMap, ListSet
from konverge.api.meta import ObjectMeta
from konverge.api.model import Model
from konverge.api.object import Object
from konverge.api.rule import Immutable
from konverge.api.schema_marker import Doc, Schemaless, Type, markers_of
from konverge.api.unstructured import PartialObjectMetadata, Unstructured
from konverge.errors import RequestError
from konverge.manifest.constraint import Schema, constraint
from konverge.manifest.default_value import ABSENT, default_value, is_required
from konverge.manifest.description import attribute_description, class_description, described
from konverge.manifest.leaf import choice_schema, leaf_schema, union_schema
from konverge.manifest.merging import merged
from konverge.manifest.one_of import class_rules
from konverge.manifest.place import Place
from konverge.manifest.type_parts import parts_of
from konverge.manifest.unfit import unfit

_RULES = "x-kubernetes-validations"
_FORMS = ("type", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")
_TEXTS: Schema = {"type": "object", "additionalProperties": {"type": "string"}}
# What a template may say of the objects made from it. The rest of their metadata is the server's to write.
_METADATA: Schema = {
    "type": "object",
    "properties": {
        "annotations": _TEXTS,
        "finalizers": {"type": "array", "items": {"type": "string"}},
        "labels": _TEXTS,
        "name": {"type": "string"},
        "namespace": {"type": "string"},
    },
}


def model_schema(place: Place) -> Schema:
    """Return the schema of a class: its attributes, which of them are required, and what its markers say."""
    cls = place.cls
    found: Schema = {"type": "object", "properties": dict(_identity(cls))}
    if text := class_description(cls):
        found["description"] = text
    for attribute in declared_types(cls):
        if not _is_left_out(cls, attribute):
            found["properties"][_wire(cls, attribute)] = attribute_schema(place.at(attribute))
    if required := sorted(_wire(cls, name) for name in declared_types(cls) if is_required(cls, name)):
        found["required"] = required
    said = combined(markers_of(cls), found, place)
    said[_RULES] = [*_immutable_rules(place), *said.get(_RULES, []), *class_rules(place)]
    return _pruned(merged(found, said))


def _pruned(schema: Schema) -> Schema:
    return {name: value for name, value in schema.items() if value != [] and not (name == "properties" and not value)}


def _identity(cls: type[Model]) -> Iterable[tuple[str, Schema]]:
    if issubclass(cls, Object):
        yield from (("apiVersion", {"type": "string"}), ("kind", {"type": "string"}))


def _is_left_out(cls: type[Model], attribute: str) -> bool:
    """Whether an attribute has no schema: the status of a kind that has none."""
    return attribute == "status" and hasattr(cls, "__definition__") and declared_types(cls)[attribute] is Any


def _wire(cls: type[Model], attribute: str) -> str:
    return cls.__struct_encode_fields__[cls.__struct_fields__.index(attribute)]


def attribute_schema(place: Place) -> Schema:
    """Return the schema of an attribute."""
    if place.attribute == "metadata" and hasattr(place.cls, "__definition__"):
        return {"type": "object"}  # the server knows what metadata is, and takes nothing else here
    kind = declared_types(place.cls)[place.attribute]
    _check_tolerance(kind, place)
    found, parts = type_schema(kind, place), parts_of(kind)
    text = attribute_description(place.cls, place.attribute)
    if text and not any(isinstance(marker, Doc) for marker in parts.markers):
        found["description"] = text
    default = _default(place)
    if default is ABSENT:
        return found
    if against := unfit(default, found):
        raise place.refusal(f"its default {default!r} is against {against}", "change one of the two")
    return {**found, "default": default}


def _default(place: Place) -> Any:
    try:
        return default_value(place.cls, place.attribute)
    except RequestError as error:
        raise place.refusal("its default has no form in JSON", str(error)) from error


def _check_tolerance(kind: Any, place: Place) -> None:
    """Refuse a choice that reading would enforce, because the class was made before it."""
    found = [inspect.get_annotations(part).get(place.attribute) for part in place.cls.__mro__]
    annotation = next(filter(None, found), None)
    if isinstance(annotation, str) and holds_choice(kind):
        raise place.refusal(
            "its enum is defined below the class, so that an object with another value could not be read",
            "define it above the class",
        )


def type_schema(kind: Any, place: Place) -> Schema:
    """Return the schema of a type with its markers."""
    parts = parts_of(kind)
    schemaless = any(isinstance(marker, Schemaless) for marker in parts.markers)
    found = {} if schemaless else _bare(parts.options, place)
    for marker in parts.markers:
        if isinstance(marker, Type):
            found = {**found, "type": marker.name}
    found = merged(found, combined(parts.markers, found, place))
    _check_form(found, place)
    for marker in parts.markers:
        if isinstance(marker, (ListMap, ListSet)):
            _check_items(found, marker, place)
    return found


def combined(markers: Iterable[Any], schema: Schema, place: Place) -> Schema:
    """Return what the markers of one place say together: the rules in the order in which they are written."""
    found: Schema = {}
    rules: list[Schema] = []
    for marker in markers:
        added = constraint(marker, schema, place)
        rules += added.pop(_RULES, [])
        if "description" in added:
            added["description"] = described(added["description"])
        found = merged(found, added)
    return {**found, _RULES: rules} if rules else found


def _bare(options: tuple[Any, ...], place: Place) -> Schema:
    if len(options) != 1:
        return union_schema(options, place)
    (kind,) = options
    if values_of(kind) is not None:
        found = choice_schema(kind, place)
        return merged(found, combined(markers_of(kind), found, place)) if isinstance(kind, type) else found
    origin = get_origin(kind) or kind
    if origin is list:
        return {"type": "array", "items": _element(get_args(kind)[:1], place)}
    if origin is dict:
        return _map(get_args(kind), place)
    if isinstance(kind, type) and issubclass(kind, Model):
        return _model(kind, place)
    return leaf_schema(kind, place)


def _model(cls: type[Model], place: Place) -> Schema:
    if cls is ObjectMeta:
        return {**_METADATA, "properties": dict(_METADATA["properties"])}
    if cls in (Unstructured, PartialObjectMetadata):
        return {
            "type": "object",
            "x-kubernetes-embedded-resource": True,
            "x-kubernetes-preserve-unknown-fields": True,
        }
    return model_schema(place.into(cls))


def _map(arguments: tuple[Any, ...], place: Place) -> Schema:
    if not arguments:
        return {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    if parts_of(arguments[0]).options != (str,):
        raise place.refusal("the keys of a map are strings", "write dict[str, …]")
    return {"type": "object", "additionalProperties": _element(arguments[1:], place)}


def _element(arguments: tuple[Any, ...], place: Place) -> Schema:
    """The schema of items or values; they are sent as null where they are None."""
    found = type_schema(arguments[0] if arguments else Any, place)
    return {**found, "nullable": True} if arguments and parts_of(arguments[0]).none else found


def _check_form(schema: Schema, place: Place) -> None:
    """Refuse a schema of which no server knows what JSON it is for."""
    if not any(
        name in schema for name in ("type", "x-kubernetes-int-or-string", "x-kubernetes-preserve-unknown-fields")
    ):
        raise place.refusal(
            "the schema says no type", "add kv.Type(…) or kv.PreserveUnknownFields() beside kv.Schemaless()"
        )


def _check_items(schema: Schema, marker: ListMap | ListSet, place: Place) -> None:
    items = schema["items"]
    if isinstance(marker, ListSet):
        if items.get("type") in ("object", "array") and items.get("x-kubernetes-map-type") != "atomic":
            raise place.refusal("ListSet is for strings and numbers", 'use kv.ListMap("name") for items with a key')
        return
    for key, value in marker.defaults:
        items["properties"][key].setdefault("default", value)
    for key in marker.keys:
        if key not in items.get("properties", {}):
            raise place.refusal(f"its items have no field {key!r} for ListMap", "name a field as the wire spells it")
        if key not in items.get("required", ()) and "default" not in items["properties"][key]:
            raise place.refusal(
                f"ListMap tells items apart by {key!r}, which may be absent",
                "take `| None` away from that attribute, or give it a default",
            )


def _immutable_rules(place: Place) -> list[Schema]:
    """The rules that an attribute which may be absent is not removed once it is set."""
    cls = place.cls
    found = []
    for attribute, kind in declared_types(cls).items():
        if any(isinstance(marker, Immutable) for marker in parts_of(kind).markers) and not is_required(cls, attribute):
            wire = _wire(cls, attribute)
            rule = f"!has(oldSelf.{wire}) || has(self.{wire})"
            found.append({"rule": rule, "message": f"field {wire} is immutable once set"})
    return found
