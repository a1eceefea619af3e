"""OpenAPI schemas as types: the components of an OpenAPI v3 document, and the schema of a CRD's version.

A component is compiled when it is first asked for, with all that it refers to, and kept: a kind costs its schema once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from konverge.cluster.apiserver.apply.types import DEDUCED, UNTYPED_ATOMIC, ListType, MapType, Scalar, Type

Schema = Mapping[str, Any]

_OBJECT_META: Final = "io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta"
_TEXT: Final[Schema] = {"type": "string"}
_WHOLE: Final[Schema] = {"type": "integer"}
_TIME: Final[Schema] = {"type": "string", "format": "date-time"}
_TEXTS: Final[Schema] = {"type": "object", "additionalProperties": _TEXT}
_BY_UID: Final[Schema] = {"x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["uid"]}

# What the real server's OpenAPI says of metadata, as far as it matters here: custom resources refer to it too.
META_COMPONENTS: Final[Mapping[str, Schema]] = {
    _OBJECT_META: {
        "type": "object",
        "properties": {
            "annotations": _TEXTS,
            "creationTimestamp": _TIME,
            "deletionGracePeriodSeconds": _WHOLE,
            "deletionTimestamp": _TIME,
            "finalizers": {"type": "array", "items": _TEXT, "x-kubernetes-list-type": "set"},
            "generateName": _TEXT,
            "generation": _WHOLE,
            "labels": _TEXTS,
            "managedFields": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        **dict.fromkeys(("apiVersion", "fieldsType", "manager", "operation", "subresource"), _TEXT),
                        "fieldsV1": {"type": "object"},
                        "time": _TIME,
                    },
                },
                "x-kubernetes-list-type": "atomic",
            },
            "name": _TEXT,
            "namespace": _TEXT,
            "ownerReferences": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        **{name: {**_TEXT, "default": ""} for name in ("apiVersion", "kind", "name", "uid")},
                        "blockOwnerDeletion": {"type": "boolean"},
                        "controller": {"type": "boolean"},
                    },
                    "x-kubernetes-map-type": "atomic",
                },
                **_BY_UID,
            },
            "resourceVersion": _TEXT,
            "selfLink": _TEXT,
            "uid": _TEXT,
        },
    }
}
_META_REFERENCE: Final[Schema] = {"$ref": f"#/components/schemas/{_OBJECT_META}"}
_FIXED: Final[Mapping[str, Type]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Type(scalar=Scalar.UNTYPED, name="Quantity"),
    "io.k8s.apimachinery.pkg.runtime.RawExtension": UNTYPED_ATOMIC,
}
_PRIMITIVES: Final = {"integer": Scalar.NUMERIC, "number": Scalar.NUMERIC, "boolean": Scalar.BOOLEAN}


def custom_type(schema: Schema | None) -> Type:
    """Return the type of a custom resource from its version's `openAPIV3Schema`."""
    if schema is None:
        return _CUSTOM.inline({"type": "object"}, keeps_unknown=False)
    own = {"apiVersion": _TEXT, "kind": _TEXT, "metadata": _META_REFERENCE}
    root = {**schema, "properties": {**schema.get("properties", {}), **own}}
    return _CUSTOM.inline(root, keeps_unknown=False)


class OpenApiTypes:
    """The types of a document's components (`components.schemas`)."""

    def __init__(self, components: Mapping[str, Schema]) -> None:
        self._components = components
        self._named: dict[str, Type] = dict(_FIXED)
        self._atomic: dict[tuple[str, bool], Type] = {}

    def type(self, name: str) -> Type:
        """Return the type of a component; KeyError where the document has none of that name."""
        found = self._named.get(name)
        if found is None:
            schema = self._components[name]
            found = self._named[name] = Type(name=name)
            made = self.inline(schema, keeps_unknown=False)
            found.fill(scalar=made.scalar, list=made.list, map=made.map)
            for override in (True, False):
                if (name, override) in self._atomic:
                    _override(self._atomic[name, override], found, is_atomic=override)
        return found

    def inline(self, schema: Schema, *, keeps_unknown: bool) -> Type:
        """Return the type of a schema that stands in place; `keeps_unknown` goes down to all that stands within."""
        keeps_unknown = keeps_unknown or schema.get("x-kubernetes-preserve-unknown-fields") is True
        kind = schema.get("type", "")
        if not kind:
            parts = self._list(schema, keeps_unknown=keeps_unknown), self._map(schema, keeps_unknown=keeps_unknown)
            return Type(scalar=Scalar.UNTYPED, list=parts[0], map=parts[1])
        if kind == "object":
            return Type(map=self._map(schema, keeps_unknown=keeps_unknown))
        if kind == "array":
            return Type(list=self._list(schema, keeps_unknown=keeps_unknown))
        return Type(scalar=_primitive(kind, schema.get("format", "")))

    def _part(self, schema: Schema, *, keeps_unknown: bool) -> Type:
        reference = schema.get("$ref") or _only_reference(schema)
        if not reference:
            return self.inline(schema, keeps_unknown=keeps_unknown)
        name = reference.rpartition("/")[2]
        relation = schema.get("x-kubernetes-map-type")
        return self.type(name) if relation is None else self._overridden(name, is_atomic=relation == "atomic")

    def _overridden(self, name: str, *, is_atomic: bool) -> Type:
        """Return a component as a field sees it that says itself whether it is atomic."""
        found = self._atomic.get((name, is_atomic))
        if found is None:
            found = self._atomic[name, is_atomic] = Type(name=name)
            _override(found, self.type(name), is_atomic=is_atomic)
        return found

    def _map(self, schema: Schema, *, keeps_unknown: bool) -> MapType:
        properties = _properties(schema)
        fields = {name: self._part(part, keeps_unknown=keeps_unknown) for name, part in properties.items()}
        defaults = {name: part["default"] for name, part in properties.items() if part.get("default") is not None}
        element = self._element(schema, has_fields=bool(fields), keeps_unknown=keeps_unknown)
        is_deduced = not fields and (element is DEDUCED or (element is not None and _is_any_scalar(element)))
        is_atomic = schema.get("x-kubernetes-map-type") == "atomic"
        return MapType(fields, element, is_atomic=is_atomic, defaults=defaults, is_deduced=is_deduced)

    def _element(self, schema: Schema, *, has_fields: bool, keeps_unknown: bool) -> Type | None:
        more = schema.get("additionalProperties")
        if more is None:
            return DEDUCED if keeps_unknown or not has_fields else None
        if isinstance(more, bool):
            return DEDUCED if more else None
        return self._part(more, keeps_unknown=keeps_unknown)

    def _list(self, schema: Schema, *, keeps_unknown: bool) -> ListType:
        items = schema.get("items")
        element = UNTYPED_ATOMIC if items is None else self._part(items, keeps_unknown=keeps_unknown)
        keys = _list_keys(schema)
        return ListType(element, is_atomic=keys is None, keys=keys or ())


def _is_any_scalar(element: Type) -> bool:
    return not element.name and element.scalar is Scalar.UNTYPED


def _override(target: Type, source: Type, *, is_atomic: bool) -> None:
    """Fill in a type that is another one with its own say on whether it is atomic."""
    if source.map is not None:
        own = source.map
        made = MapType(own.fields, own.element, is_atomic=is_atomic, defaults=own.defaults, is_deduced=own.is_deduced)
        target.fill(scalar=source.scalar, list=source.list, map=made)
    elif source.list is not None:
        items = ListType(source.list.element, is_atomic=is_atomic, keys=source.list.keys)
        target.fill(scalar=source.scalar, list=items, map=None)


def _only_reference(schema: Schema) -> str:
    """Return the reference of a schema that wraps one, to say more beside it."""
    parts = schema.get("allOf", ())
    return str(parts[0].get("$ref", "")) if len(parts) == 1 else ""


def _properties(schema: Schema) -> Mapping[str, Schema]:
    properties: Mapping[str, Schema] = schema.get("properties") or {}
    if schema.get("x-kubernetes-embedded-resource") is not True:
        return properties
    return {**properties, "apiVersion": _TEXT, "kind": _TEXT, "metadata": _META_REFERENCE}


def _list_keys(schema: Schema) -> tuple[str, ...] | None:
    """Return the keys of a list, none for a set; None where it is atomic."""
    relation = schema.get("x-kubernetes-list-type")
    if relation == "map":
        return tuple(schema.get("x-kubernetes-list-map-keys", ()))
    if relation is not None:
        return () if relation == "set" else None
    if schema.get("x-kubernetes-patch-strategy") in {"merge", "merge,retainKeys"}:
        key = schema.get("x-kubernetes-patch-merge-key")
        return () if key is None else (key,)
    return None


def _primitive(kind: str, layout: str) -> Scalar:
    if kind == "string":
        return Scalar.STRING if layout in {"", "byte"} else Scalar.UNTYPED
    return _PRIMITIVES.get(kind, Scalar.UNTYPED)


_CUSTOM: Final = OpenApiTypes(META_COMPONENTS)
