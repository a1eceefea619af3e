"""The order of fields in Go's JSON: that of a struct's declaration, and of names in a map."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.protobuf.captured import Captured, captured
from konverge.cluster.apiserver.protobuf.message import FieldFacts, JsonObject
from konverge.cluster.apiserver.protobuf.own_form import EXTENSIONS

_TYPE: Final = ("kind", "apiVersion")  # before all others, and no part of a message
_CHOICES: Final = tuple(f"{EXTENSIONS}.JSONSchemaPropsOr{other}" for other in ("Array", "Bool", "StringArray"))
_SCHEMA: Final = f"{EXTENSIONS}.JSONSchemaProps"


def in_go_order(value: JsonObject, api_version: str, kind: str) -> JsonObject:
    """Return an object of a kind as Go would write it; one of an unknown kind with its names sorted."""
    found = captured()
    name = found.message_name(api_version, kind)
    ordered: JsonObject = _ordered(value, name, found)
    return ordered


def _ordered(value: Any, name: str, known: Captured) -> Any:
    name = _SCHEMA if name in _CHOICES else name
    if isinstance(value, list):
        return [_ordered(item, name, known) for item in value]
    if not isinstance(value, dict):
        return value
    fields = _fields(name, known)
    first = [each for each in _TYPE if each not in fields]
    names = (*first, *fields, *sorted(value.keys() - fields.keys() - set(_TYPE)))
    return {each: _field(value[each], fields.get(each), known) for each in names if each in value}


def _field(value: Any, facts: FieldFacts | None, known: Captured) -> Any:
    name = "" if facts is None else facts.type
    if facts is not None and facts.many == "map" and isinstance(value, dict):
        return {key: _ordered(value[key], name, known) for key in sorted(value)}
    return _ordered(value, name, known)


def _fields(name: str, known: Captured) -> dict[str, FieldFacts]:
    """Return the fields of a message by their names in JSON; those of one that has no name stand in its place."""
    found: dict[str, FieldFacts] = {}
    for facts in sorted(known.facts(name), key=lambda each: each.at):
        found |= {facts.name: facts} if facts.name else _fields(facts.type, known)
    return found
