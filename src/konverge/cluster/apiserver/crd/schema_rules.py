"""What a CRD's schema may say, beside being structural: the keywords of OpenAPI v3, list and map types, CEL rules.

Faults of CEL rules are told after all others, and a rule is compiled only where nothing else is wrong with its schema.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from konverge.cluster.apiserver.crd.field_path import PathError, follow
from konverge.cluster.apiserver.crd.go_form import items_form, raw
from konverge.cluster.apiserver.crd.rule_compiler import RuleCompiler
from konverge.cluster.apiserver.crd.structural_rules import unreadable
from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, not_supported, required
from konverge.cluster.apiserver.repeated import repeated

if TYPE_CHECKING:
    from konverge.cluster.apiserver.cel.definition_rules import RuleScope

Schema = Mapping[str, Any]
TYPES = ("array", "boolean", "integer", "number", "object", "string")
_META = ("metadata", "kind", "apiVersion")
_REASONS = ("FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired")
_NOT_SUPPORTED = (
    ("id", "id is not supported"),
    ("additionalItems", "additionalItems is not supported"),
    ("patternProperties", "patternProperties is not supported"),
    ("definitions", "definitions is not supported"),
    ("dependencies", "dependencies is not supported"),
    ("$ref", "$ref is not supported"),
)
_EVEN_IF_EMPTY = ("additionalItems", "dependencies", "$ref")


@dataclass(frozen=True, slots=True, kw_only=True)
class Ratchet:
    """What is asked of a schema; an update asks only for what the old one had right."""

    types: bool = True  # types are OpenAPI's
    atomic_sets: bool = True  # items of a set are atomic
    map_keys: bool = True  # keys of a map list are there in each item


@dataclass(frozen=True, slots=True, kw_only=True)
class _Place:
    """Where in the schema we are, as far as that changes what is allowed."""

    allows_defaults: bool = True
    why_no_defaults: str = ""
    is_in_meta: bool = False
    uncorrelated: str = ""  # the nearest path above whose parts cannot be found again in an old object
    scope: RuleScope | None = None  # None: no rule is compiled here

    def without_defaults(self, why: str) -> _Place:
        return replace(self, allows_defaults=False, why_no_defaults=why)

    def within_uncorrelated(self, path: str) -> _Place:
        return self if self.uncorrelated else replace(self, uncorrelated=path)


class SchemaRules:
    """One walk over a schema."""

    def __init__(self, ratchet: Ratchet, compiler: RuleCompiler | None) -> None:
        self._ratchet = ratchet
        self._compiler = compiler

    def faults(self, schema: Schema, path: str) -> list[FieldError]:
        """Say what is wrong: first with the schema, then with its rules."""
        place = _Place(scope=self._compiler.root(schema) if self._compiler else None)
        errors, rule_errors = self._visit(schema, path, place, is_root=True)
        return errors + rule_errors

    def _visit(
        self, schema: Schema, path: str, place: _Place, *, is_root: bool = False
    ) -> tuple[list[FieldError], list[FieldError]]:
        errors = [*self._keyword_faults(schema, path, place)]
        rule_errors: list[FieldError] = []
        for child, below, inner in self._below(schema, path, place, is_root=is_root):
            found, of_rules = self._visit(child, below, inner)
            errors += found
            rule_errors += of_rules
        errors += self._own_faults(schema, path)
        if not errors and place.scope is not None and self._compiler and schema.get("x-kubernetes-validations"):
            rule_errors += self._compiler.faults(place.scope, path, uncorrelated=place.uncorrelated)
        return errors, rule_errors

    def _keyword_faults(self, schema: Schema, path: str, place: _Place) -> Iterator[FieldError]:
        kind = schema.get("type") or ""
        if self._ratchet.types and kind and kind not in TYPES:
            yield not_supported(f"{path}.type", kind, TYPES, is_plain=True)
        if schema.get("default") is not None and not place.allows_defaults:
            yield forbidden(f"{path}.default", f"must not be set {place.why_no_defaults}".rstrip())
        for name, text in _NOT_SUPPORTED:
            value = schema.get(name)
            if value is not None and (value or name in _EVEN_IF_EMPTY):
                yield forbidden(f"{path}.{name}", text)
        if kind == "null":
            yield forbidden(f"{path}.type", "type cannot be set to null, use nullable as an alternative")
        if isinstance(schema.get("items"), list) and schema["items"]:
            yield forbidden(f"{path}.items", "items must be a schema object and not an array")
        if place.is_in_meta and schema.get("x-kubernetes-embedded-resource"):
            yield forbidden(f"{path}.x-kubernetes-embedded-resource", "must not be used inside of resource meta")
        if schema.get("uniqueItems"):
            text = "uniqueItems cannot be set to true since the runtime complexity becomes quadratic"
            yield forbidden(f"{path}.uniqueItems", text)
        additional = schema.get("additionalProperties")
        if additional is not None and schema.get("properties") and (additional is False or additional is not True):
            text = "additionalProperties and properties are mutual exclusive"
            yield forbidden(f"{path}.additionalProperties", text)

    def _below(
        self, schema: Schema, path: str, place: _Place, *, is_root: bool
    ) -> Iterator[tuple[Schema, str, _Place]]:
        additional = schema.get("additionalProperties")
        if isinstance(additional, Mapping):
            inner = place
            if place.is_in_meta:
                inner = place.without_defaults("inside additionalProperties applying to object metadata")
            scope = place.scope and place.scope.of_additional(additional)
            yield additional, f"{path}.additionalProperties", replace(inner, scope=scope)
        for name, child in (schema.get("properties") or {}).items():
            inner = self._property_place(schema, path, place, name=name, is_root=is_root)
            scope = place.scope and place.scope.of_property(child, name)
            yield child, f"{path}.properties[{name}]", replace(inner, scope=scope)
        silent = replace(place, scope=None)
        if schema.get("not") is not None:
            yield schema["not"], f"{path}.not", silent
        for name in ("allOf", "oneOf", "anyOf"):
            for index, child in enumerate(schema.get(name) or ()):
                yield child, f"{path}.{name}[{index}]", silent
        for name, child in (schema.get("definitions") or {}).items():
            yield child, f"{path}.definitions[{name}]", silent
        yield from self._items_below(schema, path, place)
        for name, child in (schema.get("dependencies") or {}).items():
            if isinstance(child, Mapping):
                yield child, f"{path}.dependencies[{name}]", silent

    def _property_place(self, schema: Schema, path: str, place: _Place, *, name: str, is_root: bool) -> _Place:
        if schema.get("x-kubernetes-map-type") == "atomic":
            place = place.within_uncorrelated(path)
        if (is_root or schema.get("x-kubernetes-embedded-resource")) and name in _META:
            place = replace(place, is_in_meta=True)
            if is_root:
                place = place.without_defaults(f"in top-level {name}")
        return place

    def _items_below(self, schema: Schema, path: str, place: _Place) -> Iterator[tuple[Schema, str, _Place]]:
        items = schema.get("items")
        inner = place if schema.get("x-kubernetes-list-type") == "map" else place.within_uncorrelated(path)
        if isinstance(items, Mapping):
            scope = place.scope and place.scope.of_items(items)
            yield items, f"{path}.items", replace(inner, scope=scope)
        elif isinstance(items, list):
            for index, child in enumerate(items):
                yield child, f"{path}.items[{index}]", replace(inner, scope=None)

    def _own_faults(self, schema: Schema, path: str) -> Iterator[FieldError]:
        if schema.get("x-kubernetes-preserve-unknown-fields") is False:
            yield invalid(f"{path}.x-kubernetes-preserve-unknown-fields", False, "must be true or undefined")
        yield from _map_type_faults(schema, path)
        yield from self._list_type_faults(schema, path)
        if schema.get("x-kubernetes-list-map-keys"):
            yield from _key_owner_faults(schema, path)
        if schema.get("x-kubernetes-list-type") == "map":
            yield from _map_list_faults(schema, path)
        if self._ratchet.map_keys:
            yield from keyed_list_faults(schema, path)
        for index, rule in enumerate(schema.get("x-kubernetes-validations") or ()):
            yield from _rule_faults(rule, schema, f"{path}.x-kubernetes-validations[{index}]")

    def _list_type_faults(self, schema: Schema, path: str) -> Iterator[FieldError]:
        list_type, kind = schema.get("x-kubernetes-list-type"), schema.get("type") or ""
        if list_type is None:
            return
        if kind != "array":
            text = "must be array if x-kubernetes-list-type is specified"
            yield invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
        elif self._ratchet.atomic_sets:
            yield from _set_faults(schema, path)
        if list_type not in ("atomic", "set", "map"):
            yield not_supported(f"{path}.x-kubernetes-list-type", list_type, ("atomic", "set", "map"), is_plain=True)


def _map_type_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    map_type, kind = schema.get("x-kubernetes-map-type"), schema.get("type") or ""
    if map_type is None:
        return
    if kind != "object":
        text = "must be object if x-kubernetes-map-type is specified"
        yield invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
    if map_type not in ("atomic", "granular"):
        yield not_supported(f"{path}.x-kubernetes-map-type", map_type, ("atomic", "granular"), is_plain=True)


def has_set_fault(schema: Schema) -> bool:
    """Whether a set has items that are not atomic."""
    return bool(list(_set_faults(schema, "")))


def _set_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    items = schema.get("items")
    if schema.get("x-kubernetes-list-type") != "set" or not isinstance(items, Mapping):
        return
    text = "must be atomic as item of a list with x-kubernetes-list-type=set"
    list_type = items.get("x-kubernetes-list-type")
    if items.get("type") == "array" and list_type not in (None, "atomic"):
        yield invalid(f"{path}.items.x-kubernetes-list-type", list_type, text)
    elif items.get("type") == "object" and items.get("x-kubernetes-map-type") != "atomic":
        yield invalid(f"{path}.items.x-kubernetes-map-type", list_type, text)


def _key_owner_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    text = "must be map if x-kubernetes-list-map-keys is non-empty"
    list_type = schema.get("x-kubernetes-list-type")
    if list_type is None:
        yield required(f"{path}.x-kubernetes-list-type", text)
    elif list_type != "map":
        yield invalid(f"{path}.x-kubernetes-list-type", list_type, text)


def _map_list_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    keys, items = schema.get("x-kubernetes-list-map-keys") or [], schema.get("items")
    if not keys:
        yield required(f"{path}.x-kubernetes-list-map-keys", "must not be empty if x-kubernetes-list-type is map")
    if items is None:
        yield required(f"{path}.items", "must have a schema if x-kubernetes-list-type is map")
    elif not isinstance(items, Mapping):
        text = "must only have a single schema if x-kubernetes-list-type is map"
        yield invalid(f"{path}.items", raw(items_form(items)), text)
    elif items.get("type") != "object":
        text = "must be object if parent array's x-kubernetes-list-type is map"
        yield invalid(f"{path}.items.type", items.get("type") or "", text)
    else:
        yield from _key_faults(keys, items, path)


def _key_faults(keys: list[str], items: Schema, path: str) -> Iterator[FieldError]:
    properties = items.get("properties") or {}
    again = repeated(keys)
    for index, key in enumerate(keys):
        if key not in properties:
            yield invalid(f"{path}.x-kubernetes-list-map-keys", keys, "entries must all be names of item properties")
        elif properties[key].get("type") in ("array", "object"):
            text = "must be a scalar type if parent array's x-kubernetes-list-type is map"
            yield invalid(f"{path}.items.properties[{key}].type", items.get("type"), text)
        if index in again:
            yield invalid(f"{path}.x-kubernetes-list-map-keys", keys, "must not contain duplicate entries")


def keyed_list_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    """Say where the items of a set or map may be null, or lack a key."""
    items, list_type = schema.get("items"), schema.get("x-kubernetes-list-type")
    if not isinstance(items, Mapping) or list_type not in ("set", "map"):
        return
    if items.get("nullable"):
        text = f"cannot be nullable when x-kubernetes-list-type is {list_type}"
        yield forbidden(f"{path}.items.nullable", text)
    if list_type == "set":
        return
    properties = items.get("properties") or {}
    for key in schema.get("x-kubernetes-list-map-keys") or ():
        if key not in properties:
            continue
        where = f"{path}.items.properties[{key}]"
        reason = "this property is in x-kubernetes-list-map-keys, so it"
        if key not in (items.get("required") or ()) and properties[key].get("default") is None:
            yield required(f"{where}.default", f"{reason} must have a default or be a required property")
        if properties[key].get("nullable"):
            yield forbidden(f"{where}.nullable", f"{reason} cannot be nullable")


def _rule_faults(rule: Schema, schema: Schema, path: str) -> Iterator[FieldError]:
    text, message = rule.get("rule") or "", rule.get("message") or ""
    if not text.strip():
        yield required(f"{path}.rule", "rule is not specified")
    elif message and not message.strip():
        yield invalid(f"{path}.message", message, "must be non-empty if specified")
    elif _has_breaks(message.strip()):
        yield invalid(f"{path}.message", message, "must not contain line breaks")
    elif _has_breaks(text.strip()) and not message.strip():
        yield required(f"{path}.message", "message must be specified if rule contains line breaks")
    expression = rule.get("messageExpression") or ""
    if expression and not expression.strip():
        yield required(f"{path}.messageExpression", "messageExpression must be non-empty if specified")
    reason = rule.get("reason")
    if reason is not None and reason not in _REASONS:
        yield not_supported(f"{path}.reason", reason, _REASONS)
    yield from _field_path_faults(rule.get("fieldPath") or "", schema, path)


def _field_path_faults(field_path: str, schema: Schema, path: str) -> Iterator[FieldError]:
    if not field_path:
        return
    if not field_path.strip():
        yield invalid(f"{path}.fieldPath", field_path, "must be non-empty if specified")
    if _has_breaks(field_path):
        yield invalid(f"{path}.fieldPath", field_path, "must not contain line breaks")
    if unreadable(schema):
        return
    try:
        follow(field_path, schema)
    except PathError:
        yield invalid(f"{path}.fieldPath", field_path, "must be a valid path")


def _has_breaks(text: str) -> bool:
    return re.search(r"[\n\r]", text) is not None
