"""Go's types of the built-in kinds, made from their schemas: they read a JSON value as Go's decoder does.

Reading drops the fields that a type does not have and names them, drops nulls and what Go leaves out when it is empty,
normalizes times and quantities, and words a wrong type as Go does. `fill` puts in what Go always writes and what the
schema gives as default.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path
from typing import Any, Final

import msgspec

from konverge.api.json_value import json_copy
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.builtin import defaults
from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_scalar import (
    BYTES,
    GoType,
    Integer,
    IntOrText,
    Number,
    Quantities,
    Scalar,
    Special,
)
from konverge.cluster.apiserver.builtin.go_value import bytes_text, micro_time_text, time_text
from konverge.cluster.apiserver.builtin.schemas import REFERENCE, JsonSchema, schemas

_ABSENT: Final = object()
_AMOUNTS: Final = "v1.ResourceList"
_MILLI: Final = -3


class Listing(GoType):
    """A list."""

    family = "slice"

    def __init__(self, item: GoType, go_name: str = "") -> None:
        self.item = item
        self._go_name = go_name

    @property
    def go_name(self) -> str:  # type: ignore[override] # an item's name may need its own item's
        """What Go calls it."""
        return self._go_name or f"[]{self.item.go_name}"

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) is not list:
            found.mismatch(value, place, self)
            return None
        for index, item in enumerate(value):
            read = _zero(self.item) if item is None else self.item.read(item, place.at(f"[{index}]"), found)
            if read is not item:
                value[index] = read
        return value

    def fill(self, value: Any) -> None:
        """Put in what Go always writes, and defaults."""
        for item in value:
            self.item.fill(item)


class Map(GoType):
    """A map from texts."""

    family = "map"

    def __init__(self, item: GoType, go_name: str = "") -> None:
        self.item = item
        self._go_name = go_name

    @property
    def go_name(self) -> str:  # type: ignore[override] # as that of a list
        """What Go calls it."""
        return self._go_name or f"map[string]{self.item.go_name}"

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) is not dict:
            found.mismatch(value, place, self)
            return None
        for key, item in value.items():
            read = _zero(self.item) if item is None else self.item.read(item, place.at(f".{key}"), found)
            if read is not item:
                value[key] = read
        return value

    def fill(self, value: Any) -> None:
        """Put in what Go always writes, and defaults."""
        for item in value.values():
            self.item.fill(item)


class Amounts(Map):
    """A ResourceList: no amount is finer than a thousandth."""

    def fill(self, value: Any) -> None:
        """Round what is finer."""
        for name, text in value.items():
            if text.endswith(("n", "u")) or "e-" in text:
                value[name] = str(Quantity(text).round_up(_MILLI))


def _zero(kind: GoType) -> Any:
    return {} if isinstance(kind, Struct) else kind.zero


@dataclass(frozen=True, slots=True)
class Member:
    """A field of a struct."""

    kind: GoType
    default: Any  # what is put in where the field is absent; _ABSENT: nothing
    keeps_empty: bool  # whether an empty value is written, or left out as Go's `omitempty` does
    inside: str = ""  # the embedded types that have it


class Struct(GoType):
    """A Go struct; its fields are looked at when the first value comes, since a type may contain itself."""

    family = "struct"

    def __init__(self, name: str, schema: JsonSchema) -> None:
        self._full_name = name
        self._schema = schema
        package, _, self.name = name.rpartition(".")
        self.go_name = f"{package.rpartition('.')[2]}.{self.name}"
        self._own_default = defaults.of(name)

    @cached_property
    def fields(self) -> Mapping[str, Member]:
        """The fields by their names on the wire."""
        facts = _facts().get(self._full_name, _NO_FACTS)
        found = {name: _member(name, schema, facts) for name, schema in self._schema.get("properties", {}).items()}
        if "x-kubernetes-group-version-kind" in self._schema:
            for name in ("apiVersion", "kind"):
                found[name] = replace(found[name], inside="TypeMeta")  # which every kind embeds
        return found

    @cached_property
    def required(self) -> tuple[str, ...]:
        """The fields that the schema asks for."""
        return tuple(self._schema.get("required", ()))

    @cached_property
    def _defaults(self) -> tuple[tuple[str, Member], ...]:
        return tuple((name, member) for name, member in self.fields.items() if member.default is not _ABSENT)

    def read(self, value: Any, place: Place, found: Found) -> Any:
        """Return a value as Go gives it back."""
        if type(value) is not dict:
            found.mismatch(value, place, self)
            return {}
        fields = self.fields
        for name in tuple(value):
            member = fields.get(name)
            if member is None:
                found.unknown.append(f"{place.where}.{name}" if place.where else name)
                del value[name]
            else:
                self._read_member(value, name, member, place=place, found=found)
        return value

    def _read_member(self, value: dict[str, Any], name: str, member: Member, *, place: Place, found: Found) -> None:
        item = value[name]
        read = None if item is None else member.kind.read(item, place.below(self.name, name, member.inside), found)
        if read is None or (not member.keeps_empty and not read):
            del value[name]
        elif read is not item:
            value[name] = read

    def fill(self, value: Any) -> None:
        """Put in what Go always writes, and defaults."""
        for name, member in self._defaults:
            if name not in value:
                value[name] = json_copy(member.default)
        if self._own_default is not None:
            self._own_default(value)
        fields = self.fields
        for name, item in value.items():
            if type(item) in (dict, list):
                fields[name].kind.fill(item)

    def fill_part(self, value: Any, name: str) -> None:
        """Do so for one field, and for the type that has it."""
        if self._own_default is not None:
            self._own_default(value)
        self.fields[name].kind.fill(value[name])


class _Facts(msgspec.Struct, frozen=True):
    pointers: frozenset[str] = frozenset()
    nulls: frozenset[str] = frozenset()
    omitted: frozenset[str] = frozenset()
    zeros: dict[str, str | int] = {}
    exact: frozenset[str] = frozenset()  # amounts that are not rounded
    told: frozenset[str] = frozenset()  # lists that, when empty, are told from none
    types: dict[str, str] = {}
    inside: dict[str, str] = {}


_NO_FACTS: Final = _Facts()
_INT32: Final = Integer("int32")
_PLAIN: Final = GoType()
_NAMED: Final[Mapping[str, GoType]] = {
    "io.k8s.apimachinery.pkg.api.resource.Quantity": Quantities(),
    "io.k8s.apimachinery.pkg.util.intstr.IntOrString": IntOrText(),
    "io.k8s.apimachinery.pkg.apis.meta.v1.Time": Special(time_text),
    "io.k8s.apimachinery.pkg.apis.meta.v1.MicroTime": Special(micro_time_text),
    "io.k8s.apimachinery.pkg.apis.meta.v1.FieldsV1": _PLAIN,
    "io.k8s.apimachinery.pkg.runtime.RawExtension": _PLAIN,
}


@cache
def _facts() -> dict[str, _Facts]:
    content = Path(__file__).with_name("go_types.json").read_bytes()
    return msgspec.json.decode(content, type=dict[str, _Facts])


def _member(name: str, schema: JsonSchema, facts: _Facts) -> Member:
    kind = _kind(schema, facts.types.get(name, ""), is_exact=name in facts.exact)
    default = schema.get("default", _ABSENT)
    if name in facts.omitted:
        default = _ABSENT  # Go leaves out this zero, though it is the default
    elif default is _ABSENT:
        default = None if name in facts.nulls else facts.zeros.get(name, _ABSENT)
    inside = facts.inside.get(name, "")
    if isinstance(kind, (Listing, Map)):
        # `drop_empties` makes it the null that is written
        return Member(kind, default, keeps_empty=default is None or name in facts.told, inside=inside)
    is_scalar = isinstance(kind, (Scalar, Special))
    is_written = default is not _ABSENT and not default  # Go's zero as default: a field that is always written
    return Member(kind, default, keeps_empty=not is_scalar or name in facts.pointers or is_written, inside=inside)


def _kind(schema: JsonSchema, go_name: str = "", *, is_exact: bool = False) -> GoType:
    reference = schema.get("$ref") or next((one.get("$ref") for one in schema.get("allOf", ())), None)
    if reference is not None:
        return type_of(reference.removeprefix(REFERENCE))
    kind = schema.get("type")
    if kind == "array":
        return Listing(_kind(schema["items"], go_name.partition("[]")[2]), go_name)
    if kind == "object" and "additionalProperties" in schema:
        return (Amounts if go_name == _AMOUNTS and not is_exact else Map)(
            _kind(schema["additionalProperties"]), go_name
        )
    return _scalar(schema, go_name)


def _scalar(schema: JsonSchema, go_name: str) -> GoType:
    kind, form = schema.get("type"), schema.get("format", "")
    if kind == "string":
        return _text(schema, form, go_name)
    if kind == "integer":
        return Integer(go_name or form or "int64", form or "int64")
    if kind == "number":
        return Number()
    return Scalar(bool, go_name or "bool", zero=False, base="bool") if kind == "boolean" else _PLAIN


def _text(schema: JsonSchema, form: str, go_name: str) -> GoType:
    if form == "byte":
        return Special(bytes_text, go_name=BYTES, zero="")
    if form == "date-time":
        return Special(time_text)
    return Scalar(str, go_name or "string", "", base="string", choices=tuple(sorted(schema.get("enum", ()))))


@cache
def type_of(name: str) -> GoType:
    """Return the type of a schema's name (`io.k8s.api.apps.v1.Deployment`)."""
    if (special := _NAMED.get(name)) is not None:
        return special
    schema = schemas()[name]
    if schema.get("type") == "object" and "properties" in schema:
        return Struct(name, schema)
    return _kind(schema) if schema.get("type") else _PLAIN
