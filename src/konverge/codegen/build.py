"""From definitions to modules: each schema becomes a class, an inline schema one named after the path to it.

Types follow what can be on the wire, not what the schema would accept: enums stay str, nothing has a default, and a
shape that Python types cannot say (or msgspec could not tell apart) is Any.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from konverge.api.object import Object
from konverge.codegen import markers as marking
from konverge.codegen.definition import Definition, Schema, reference
from konverge.codegen.names import attributes, module_names, pascal, unique
from konverge.codegen.openapi import META
from konverge.codegen.values import (
    ANY,
    ANY_DICT,
    BOOL,
    BYTES,
    DATETIME,
    FLOAT,
    INT,
    INT_OR_STR,
    MICRO_TIME,
    OBJECT_META,
    QUANTITY,
    STR,
    Attribute,
    Class,
    DictOf,
    ListOf,
    Marked,
    Marker,
    Module,
    Named,
    OneOf,
    Optional,
    Type,
)
from konverge.errors import ConfigError

_EXTENSIONS = "io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1"
_JSON_SCHEMA = Named("JSONSchemaProps")
# Schemas whose JSON form has a Python type of its own, or that the server describes less closely than they are.
_WELL_KNOWN: Mapping[str, Type] = {
    f"{META}.Time": DATETIME,
    f"{META}.MicroTime": MICRO_TIME,
    f"{META}.Duration": STR,
    f"{META}.FieldsV1": ANY,
    f"{META}.Patch": ANY,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": ANY,
    "io.k8s.apimachinery.pkg.api.resource.Quantity": QUANTITY,
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": INT_OR_STR,
    f"{_EXTENSIONS}.JSON": ANY,
    f"{_EXTENSIONS}.JSONSchemaPropsOrArray": OneOf((_JSON_SCHEMA, ListOf(_JSON_SCHEMA))),
    f"{_EXTENSIONS}.JSONSchemaPropsOrBool": OneOf((_JSON_SCHEMA, BOOL)),
    f"{_EXTENSIONS}.JSONSchemaPropsOrStringArray": OneOf((_JSON_SCHEMA, ListOf(STR))),
}
# Shared structs that are replaced whole; their classes are written by hand, so their schemas are not looked at.
_ATOMIC: Mapping[str, Schema] = {
    f"{META}.{name}": {"x-kubernetes-map-type": "atomic"} for name in ("LabelSelector", "OwnerReference")
}
_STRINGS: Mapping[str, Type] = {"date-time": DATETIME, "byte": BYTES, "int-or-string": INT_OR_STR}
_SCALARS: Mapping[str, Type] = {"integer": INT, "number": FLOAT, "boolean": BOOL}
_OF_OBJECT = frozenset({"apiVersion", "kind", "metadata"})
_TAKEN = frozenset(name for name in dir(Object) if not name.startswith("_"))
_NOTHING: Schema = {}

# Where a schema stands: the class it began with, then the wire names on the way down.
Place = tuple[str, ...]
Lookup = Callable[[str], Named | None]


def build(definitions: Iterable[Definition], *, source: str, shipped: Lookup = lambda _: None) -> tuple[Module, ...]:
    """Return one module per group and version; `shipped` finds a definition that another package has a class for."""
    ordered = sorted(definitions, key=lambda item: (item.group, item.version, item.class_name, item.name))
    _refuse_twins(ordered)
    files = module_names((item.group, item.version) for item in ordered)
    known = {item.name: item for item in ordered}
    return tuple(
        Module(
            name=name,
            group=group,
            version=version,
            source=source,
            classes=_Classes(owner, known=known, files=files, shipped=shipped).build(),
        )
        for (group, version), name in files.items()
        for owner in [(group, version)]
    )


def _refuse_twins(definitions: Iterable[Definition]) -> None:
    seen: dict[tuple[str, str, str], Definition] = {}
    for item in definitions:
        other = seen.setdefault((item.group, item.version, item.class_name), item)
        if other is not item and item.kind:
            raise ConfigError(
                f"{item.group}/{item.version} has two kinds for the class {item.class_name}: "
                f"{item.name} and {other.name}; leave one of them out"
            )


class _Classes:
    """Builds the classes of one group and version."""

    def __init__(
        self,
        owner: tuple[str, str],
        *,
        known: Mapping[str, Definition],
        files: Mapping[tuple[str, str], str],
        shipped: Lookup,
    ) -> None:
        self._known = known
        self._files = files
        self._owner = owner
        self._shipped = shipped
        self._own = [item for item in known.values() if (item.group, item.version) == owner]
        self._names = {item.class_name for item in self._own}
        self._found: list[Class] = []

    def build(self) -> tuple[Class, ...]:
        """Return the classes, kinds last: a kind's body names the classes of its spec and status."""
        for item in self._own:
            try:
                if item.kind or item.schema.get("properties"):
                    self._add(item)
            except (TypeError, AttributeError, ValueError, RecursionError) as error:
                raise ConfigError(f"{item.name}: its schema cannot be read: {error}") from error
        return tuple(sorted(self._found, key=lambda cls: (cls.kind is not None, cls.name)))

    def _add(self, item: Definition) -> None:
        properties = {
            name: schema
            for name, schema in item.schema.get("properties", {}).items()
            if not (item.kind and name in _OF_OBJECT)
        }
        secrets = marking.SECRETS.get(item.name, frozenset())
        found = [
            _hidden(attribute) if attribute.wire_name in secrets else attribute
            for attribute in self._attributes(
                item.schema, properties, path=(item.class_name,), kind=item.kind is not None
            )
        ]
        self._found.append(
            Class(
                name=item.class_name,
                doc=item.schema.get("description") or f"The {item.class_name} of {item.group}/{item.version}.",
                attributes=tuple(found),
                kind=item.kind,
            )
        )

    def _attributes(
        self, schema: Schema, properties: Mapping[str, Schema], *, path: Place, kind: bool = False
    ) -> list[Attribute]:
        names = attributes(filter(_can_be_named, properties), taken=_TAKEN if kind else ())
        required = schema.get("required") or ()
        return [
            self._attribute(names[wire], wire, item, path=path, required=wire in required, kind=kind)
            for wire, item in properties.items()
            if wire in names
        ]

    def _attribute(self, name: str, wire: str, schema: Schema, *, path: Place, required: bool, kind: bool) -> Attribute:
        found = self._bare(schema, path=(*path, wire))
        return Attribute(
            name=name,
            wire_name=wire,
            type=found,
            markers=self._markers(schema),
            required=required,
            implied=kind and wire in ("spec", "status") and _is_model(found),
            doc=schema.get("description", ""),
        )

    # --- types ---

    def _type(self, schema: Schema, *, path: Place) -> Type:
        """Return the type of an item of a list or dict, with its own markers."""
        found = self._bare(schema, path=path)
        if schema.get("nullable") and found != ANY:
            found = Optional(found)
        marks = self._markers(schema)
        return Marked(found, marks) if marks else found

    def _bare(self, schema: Schema, *, path: Place) -> Type:
        name = reference(schema)
        if name is not None:
            return self._referred(name, path=path)
        if schema.get("x-kubernetes-int-or-string"):
            return INT_OR_STR
        kind = schema.get("type")
        if kind == "object" or (kind is None and schema.get("properties")):
            return self._object(schema, path=path)
        if kind == "array":
            return ListOf(self._type(schema.get("items", _NOTHING), path=path))
        return _union(schema) if kind is None else _scalar(kind, schema.get("format", ""))

    def _object(self, schema: Schema, *, path: Place) -> Type:
        properties = dict(schema.get("properties") or _NOTHING)
        if properties and not (schema.get("x-kubernetes-embedded-resource") and properties.keys() <= _OF_OBJECT):
            return self._inline(schema, properties, path=path)
        values = schema.get("additionalProperties")
        return DictOf(self._type(values, path=path)) if isinstance(values, Mapping) else ANY_DICT

    def _inline(self, schema: Schema, properties: dict[str, Schema], *, path: Place) -> Type:
        """Make a class of an object that is described in place."""
        name = unique("".join(map(pascal, path)), self._names)
        self._names.add(name)
        found = self._attributes(schema, properties, path=path)
        if schema.get("x-kubernetes-embedded-resource"):
            found = [*_embedded(), *(attribute for attribute in found if attribute.wire_name not in _OF_OBJECT)]
        doc = schema.get("description") or f"The {'.'.join(path[1:])} of a {path[0]}."
        self._found.append(Class(name=name, doc=doc, attributes=tuple(found)))
        return Named(name)

    def _referred(self, name: str, *, path: Place) -> Type:
        if name in _WELL_KNOWN:
            return _WELL_KNOWN[name]
        if name.rpartition(".")[0] == META:
            return Named(name.rpartition(".")[2], "konverge.api.meta")
        shipped = self._shipped(name)
        if shipped or name not in self._known:
            return shipped or ANY
        item = self._known[name]
        if not (item.kind or item.schema.get("properties")):
            # It is no class, so it stands in place. One that leads back to itself can only be described as Any.
            return ANY if reference(item.schema) else self._bare(item.schema, path=path)
        owner = (item.group, item.version)
        return Named(item.class_name, "" if owner == self._owner else f".{self._files[owner]}")

    def _markers(self, schema: Schema) -> tuple[Marker, ...]:
        items = schema.get("items", _NOTHING)
        return marking.markers(schema, item=self._target(items) or items, target=self._target(schema))

    def _target(self, schema: Schema) -> Schema:
        """Return the schema that this one refers to."""
        name = reference(schema) or ""
        found = self._known.get(name)
        return found.schema if found else _ATOMIC.get(name, _NOTHING)


def _can_be_named(wire_name: str) -> bool:
    """Whether an attribute can have this wire name; a field without one is kept, as unknown ones are."""
    return wire_name.isprintable() and not {'"', "\\"} & set(wire_name)


_PLAIN: tuple[Type, ...] = (STR, INT, FLOAT, BOOL)
_NO_MODELS = frozenset({*_PLAIN, BYTES, ANY, DATETIME, MICRO_TIME, QUANTITY})


def _union(schema: Schema) -> Type:
    """Return the type of a schema without one: a union of plain types, or anything."""
    options = [_scalar(option.get("type", ""), "") for key in ("oneOf", "anyOf") for option in schema.get(key, ())]
    return OneOf(tuple(dict.fromkeys(options))) if options and ANY not in options else ANY


def _scalar(kind: str, form: str) -> Type:
    return _STRINGS.get(form, STR) if kind == "string" else _SCALARS.get(kind, ANY)


def _is_model(found: Type) -> bool:
    return isinstance(found, Named) and found not in _NO_MODELS


def _hidden(attribute: Attribute) -> Attribute:
    fields: dict[str, Any] = {name: getattr(attribute, name) for name in Attribute.__slots__}
    return Attribute(**fields | {"markers": (*attribute.markers, marking.SENSITIVE)})


def _embedded() -> list[Attribute]:
    """Return what a whole object inside another one has, whether or not its schema says so."""
    return [
        Attribute(name="api_version", wire_name="apiVersion", type=STR, required=True),
        Attribute(name="kind", wire_name="kind", type=STR, required=True),
        Attribute(name="metadata", wire_name="metadata", type=OBJECT_META),
    ]
