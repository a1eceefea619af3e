"""What makes a schema structural: the rules that pruning and defaulting rest on.

Each part of a value is declared once, with its type, outside of `allOf`, `anyOf`, `oneOf` and `not`; what stands inside
of those only restricts values.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from konverge.cluster.apiserver.cel.re2 import InvalidPattern, compile_re2
from konverge.cluster.apiserver.field_error import FieldError, forbidden, invalid, required

Schema = Mapping[str, Any]
_EITHER = [{"type": "integer"}, {"type": "string"}]
_LEVELS = {"root": "at the root", "item": "for specified array items", "field": "for specified object fields"}
_UNSUPPORTED = (
    ("id", "id"),
    ("$schema", "schema"),
    ("$ref", "$ref"),
    ("patternProperties", "patternProperties"),
    ("dependencies", "dependencies"),
    ("additionalItems", "additionalItems"),
    ("definitions", "definitions"),
)


def given(schema: Schema) -> dict[str, Any]:
    """Return what a schema says: null, empty and false are silence."""
    return {name: value for name, value in schema.items() if value not in (None, "", False, [], {})}


def unreadable(schema: Schema) -> str:
    """Say why a schema cannot be read as a structural one at all; empty: it can."""
    for wire, name in _UNSUPPORTED:
        value = schema.get(wire)
        if value if wire != "additionalItems" else value is not None:
            return f"OpenAPIV3Schema '{name}' is not supported"
    nested = [schema.get("not"), *(one for name in ("allOf", "anyOf", "oneOf") for one in schema.get(name) or ())]
    for one in nested:
        if one is not None and (why := unreadable(one)):
            return why
    if schema.get("x-kubernetes-preserve-unknown-fields") is False:
        return "internal error: 'x-kubernetes-preserve-unknown-fields' must be true or undefined"
    if isinstance(schema.get("items"), list) and schema["items"]:
        return "OpenAPIV3Schema 'items' must be a schema, but is an array"
    below = [schema.get("items"), *(schema.get("properties") or {}).values(), schema.get("additionalProperties")]
    return next((why for one in below if isinstance(one, Mapping) and (why := unreadable(one))), "")


def structural_faults(schema: Schema, path: str) -> list[FieldError]:
    """Say why a schema is not structural, sorted by text."""
    errors = [*_invariants(schema, path, "root"), *_missing(schema, schema, path, path)]
    return sorted(errors, key=str)


def _invariants(schema: Schema, path: str, level: str) -> Iterator[FieldError]:
    items = schema.get("items")
    if schema.get("type") == "array" and not isinstance(items, Mapping):
        yield required(f"{path}.items", "must be specified")
    if isinstance(items, Mapping):
        yield from _invariants(items, f"{path}.items", "item")
    for name, child in (schema.get("properties") or {}).items():
        yield from _invariants(child, f"{path}.properties[{name}]", "field")
    additional = schema.get("additionalProperties")
    if additional is not None and level == "root":
        yield forbidden(f"{path}.additionalProperties", "must not be used at the root")
    if isinstance(additional, Mapping):
        yield from _invariants(additional, f"{path}.additionalProperties", "field")
    yield from _extension_faults(schema, path)
    yield from _value_faults(schema, path, is_root_of_values=True)
    yield from _type_faults(schema, path, level)
    yield from _meta_faults(schema, path, level)


def _extension_faults(schema: Schema, path: str) -> Iterator[FieldError]:
    if not schema.get("x-kubernetes-int-or-string"):
        return
    for name in ("x-kubernetes-preserve-unknown-fields", "x-kubernetes-embedded-resource"):
        if schema.get(name):
            yield invalid(f"{path}.{name}", True, "must be false if x-kubernetes-int-or-string is true")


def _type_faults(schema: Schema, path: str, level: str) -> Iterator[FieldError]:
    kind = schema.get("type") or ""
    is_embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    is_free = schema.get("x-kubernetes-int-or-string") or schema.get("x-kubernetes-preserve-unknown-fields")
    if is_embedded and kind != "object":
        text = "must be object if x-kubernetes-embedded-resource is true"
        yield invalid(f"{path}.type", kind, text) if kind else required(f"{path}.type", text)
    elif not kind and not is_free:
        yield required(f"{path}.type", f"must not be empty {_LEVELS[level]}")
    if is_embedded and schema.get("additionalProperties") is not None:
        text = "must not be used if x-kubernetes-embedded-resource is set"
        yield forbidden(f"{path}.additionalProperties", text)
    if level == "root" and kind and kind != "object":
        yield invalid(f"{path}.type", kind, "must be object at the root")


def _meta_faults(schema: Schema, path: str, level: str) -> Iterator[FieldError]:
    properties = schema.get("properties") or {}
    is_embedded = bool(schema.get("x-kubernetes-embedded-resource"))
    is_object = level == "root" or is_embedded
    for name in ("kind", "apiVersion"):
        if is_object and name in properties and properties[name].get("type") != "string":
            yield invalid(f"{path}.properties[{name}].type", properties[name].get("type") or "", "must be string")
    if "metadata" in properties:
        yield from _metadata_faults(properties["metadata"], f"{path}.properties[metadata]", is_object, level)
    if is_embedded and not schema.get("x-kubernetes-preserve-unknown-fields") and not properties:
        text = (
            "must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields"
        )
        yield required(f"{path}.properties", text)


def _metadata_faults(schema: Schema, path: str, is_object: bool, level: str) -> Iterator[FieldError]:  # noqa: FBT001
    if is_object and schema.get("type") != "object":
        yield invalid(f"{path}.type", schema.get("type") or "", "must be object")
    if level != "root":
        return
    rest = given(schema)
    rest.pop("type", None)
    rest.pop("default", None)
    if set(rest.get("properties", ())) <= {"name", "generateName"}:
        rest.pop("properties", None)
    if rest:
        text = "must not specify anything other than name and generateName, but metadata is implicitly specified"
        yield forbidden(path, text)


def _is_either(alternatives: Any) -> bool:
    return [given(one) for one in alternatives or ()] == _EITHER


def _value_faults(
    schema: Schema, path: str, *, is_root_of_values: bool, skips_any: bool = False
) -> Iterator[FieldError]:
    all_of: list[Schema] = schema.get("allOf") or []
    skips_any = skips_any or (is_root_of_values and _is_either(schema.get("anyOf")))
    skips_first = is_root_of_values and bool(all_of) and _is_either(all_of[0].get("anyOf"))
    if not skips_any:
        for index, one in enumerate(schema.get("anyOf") or ()):
            yield from _nested_faults(one, f"{path}.anyOf[{index}]")
    for index, one in enumerate(all_of):
        yield from _nested_faults(one, f"{path}.allOf[{index}]", skips_any=skips_first and index == 0)
    for index, one in enumerate(schema.get("oneOf") or ()):
        yield from _nested_faults(one, f"{path}.oneOf[{index}]")
    if schema.get("not") is not None:
        yield from _nested_faults(schema["not"], f"{path}.not")
    if pattern := schema.get("pattern"):
        try:
            compile_re2(pattern)
        except InvalidPattern as error:
            yield invalid(f"{path}.pattern", pattern, f"must be a valid regular expression, but isn't: {error}")


_EMPTY = "must be empty to be structural"
_FALSE = "must be false to be structural"
_UNDEFINED = "must be undefined to be structural"
_NOT_NESTED = (
    ("type", _EMPTY),
    ("additionalProperties", _UNDEFINED),
    ("default", _UNDEFINED),
    ("title", _EMPTY),
    ("description", _EMPTY),
    ("nullable", _FALSE),
    ("x-kubernetes-preserve-unknown-fields", _FALSE),
    ("x-kubernetes-embedded-resource", _FALSE),
    ("x-kubernetes-int-or-string", _FALSE),
    ("x-kubernetes-list-map-keys", _EMPTY),
    ("x-kubernetes-list-type", _UNDEFINED),
    ("x-kubernetes-map-type", _UNDEFINED),
    ("x-kubernetes-validations", _EMPTY),
)
_EVEN_IF_EMPTY = ("default", "x-kubernetes-list-type", "x-kubernetes-map-type")


def _nested_faults(schema: Schema, path: str, *, skips_any: bool = False) -> Iterator[FieldError]:
    yield from _value_faults(schema, path, is_root_of_values=False, skips_any=skips_any)
    if isinstance(schema.get("items"), Mapping):
        yield from _nested_faults(schema["items"], f"{path}.items")
    properties = schema.get("properties") or {}
    for name, child in properties.items():
        yield from _nested_faults(child, f"{path}.properties[{name}]")
    for name, text in _NOT_NESTED:
        value = schema.get(name)
        is_set = value is not None if name in _EVEN_IF_EMPTY else bool(value) or isinstance(value, Mapping)
        if is_set:
            yield forbidden(f"{path}.{name}", text)
    if "metadata" in properties:
        yield forbidden(f"{path}.properties[metadata]", "must not be specified in a nested context")


def _missing(nested: Schema, schema: Schema | None, path: str, nested_path: str) -> Iterator[FieldError]:
    """Say what is restricted and not declared; `nested` is the schema itself or what stands below a combination."""
    if schema is None:
        yield required(path, f"because it is defined in {nested_path}")
        return
    parts = [("not", nested["not"])] if nested.get("not") is not None else []
    for name in ("allOf", "anyOf", "oneOf"):
        parts += [(f"{name}[{index}]", one) for index, one in enumerate(nested.get(name) or ())]
    for name, one in parts:
        yield from _missing(one, schema, path, f"{nested_path}.{name}")
    if nested is schema:
        return
    if isinstance(nested.get("items"), Mapping):
        items = schema.get("items")
        declared = items if isinstance(items, Mapping) else None
        yield from _missing(nested["items"], declared, f"{path}.items", f"{nested_path}.items")
    declared_properties = schema.get("properties") or {}
    for name, one in (nested.get("properties") or {}).items():
        below = f"{path}.properties[{name}]"
        yield from _missing(one, declared_properties.get(name), below, f"{nested_path}.properties[{name}]")
