"""Markers: what a schema's extensions say about lists, maps, patches and secrets, as `konverge.api.markers` has it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from konverge.codegen.definition import Schema
from konverge.codegen.values import Marker

SENSITIVE = Marker("Sensitive")
# Fields of built-in kinds that hold a credential itself, not the name of one; the schema does not tell.
SECRETS: Mapping[str, frozenset[str]] = {
    "io.k8s.api.authentication.v1.TokenRequestStatus": frozenset({"token"}),
    "io.k8s.api.authentication.v1.TokenReviewSpec": frozenset({"token"}),
    "io.k8s.api.core.v1.Secret": frozenset({"data", "stringData"}),
}


def markers(schema: Schema, *, item: Schema, target: Schema) -> tuple[Marker, ...]:
    """Return the markers of a schema, given that of its items and of what it refers to (empty where it does not)."""
    return tuple(_markers(schema, item=item, target=target))


def _markers(schema: Schema, *, item: Schema, target: Schema) -> Iterator[Marker]:
    match schema.get("x-kubernetes-list-type"):
        case "map":
            yield Marker("ListMap", _list_map(schema.get("x-kubernetes-list-map-keys", ()), item))
        case "set":
            yield Marker("ListSet")
        case "atomic":
            yield Marker("ListAtomic")
    if "atomic" in (schema.get("x-kubernetes-map-type"), target.get("x-kubernetes-map-type")):
        yield Marker("MapAtomic")
    yield from _patch(schema)
    if schema.get("format") == "password":
        yield SENSITIVE


def _list_map(keys: list[str], item: Schema) -> str:
    defaults = {key: default for key in keys if (default := _default(item, key)) is not None}
    plain = [f"{key}={quoted(value)}" for key, value in defaults.items() if key.isidentifier()]
    other = {key: value for key, value in defaults.items() if not key.isidentifier()}
    spread = [f"**{{{', '.join(f'{quoted(key)}: {quoted(value)}' for key, value in other.items())}}}"] if other else []
    return ", ".join([*map(quoted, keys), *plain, *spread])


def _default(item: Schema, key: str) -> Any:
    """Return what the server fills in for a key; the zero value of a required one is only how Go spells absence."""
    default = item.get("properties", {}).get(key, {}).get("default")
    return default if default or key not in item.get("required", ()) else None


def _patch(schema: Schema) -> Iterator[Marker]:
    strategies = tuple(filter(None, schema.get("x-kubernetes-patch-strategy", "").split(",")))
    key = schema.get("x-kubernetes-patch-merge-key")
    if strategies or key:
        arguments = [quoted(key)] if key else []
        if strategies not in ((), ("merge",)):
            arguments.append(f"strategies={as_tuple(strategies)}")
        yield Marker("PatchMerge", ", ".join(arguments))


def quoted(value: Any) -> str:
    """Return a JSON scalar as Python writes it, strings in double quotes."""
    if not isinstance(value, str):
        return repr(value)
    text = repr(value)
    return f'"{text[1:-1]}"' if text[0] == "'" and '"' not in text else text


def as_tuple(values: tuple[str, ...]) -> str:
    """Return strings as a Python tuple."""
    return f"({', '.join(map(quoted, values))}{',' * (len(values) == 1)})"
