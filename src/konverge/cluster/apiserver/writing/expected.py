"""Expected: the kind that a body must be of, and how a value is read as one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_type import type_of
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.object_meta import read_metadata

_BAD_REQUEST = 400
Prune = Callable[[JsonObject], list[str]]


class Unreadable(Exception):
    """A value that cannot be read as its kind; the message has Go's words."""


@dataclass(frozen=True, slots=True)
class Expected:
    """A kind that is expected in a body."""

    kind: str
    api_version: str
    read: Callable[[JsonObject], list[str]]  # drops unknown fields, returns their paths, fills in defaults
    is_custom: bool = False
    foreign: str = ""  # the words for an object of another kind, where they are always the same


def expected_of(resource: Resource) -> Expected:
    """Return what a resource's own verbs take."""
    read = _custom_reader(resource) if resource.is_custom else _reader(resource, resource.strategy.prune)
    return Expected(resource.kind, resource.api_version, read, resource.is_custom)


def built_in(schema: str, api_version: str) -> Expected:
    """Return a built-in kind by its schema's name: what a subresource takes."""

    def read(value: JsonObject) -> list[str]:
        found = Found()
        kind = type_of(schema)
        kind.read(value, Place(), found)
        if found.error:
            raise Unreadable(found.error)
        kind.fill(value)
        return found.unknown

    return Expected(schema.rpartition(".")[2], api_version, read)


def _custom_reader(resource: Resource) -> Callable[[JsonObject], list[str]]:
    def read(value: JsonObject) -> list[str]:
        try:
            unknown = read_metadata(value)
            if value.get("apiVersion") != resource.api_version:
                return unknown + _drop_all(value)  # nothing is known of another version; it will be refused for it
            if value["kind"] != resource.kind:
                return unknown  # a schema judges objects of its own kind; this one will be refused for its type
            unknown += resource.strategy.prune(value)
        except Failure as failure:
            raise _unreadable(failure) from None
        resource.strategy.default(value)
        return unknown

    return read


def _drop_all(value: JsonObject) -> list[str]:
    """Drop all but what every object has."""
    dropped = sorted(name for name in value if name not in ("apiVersion", "kind", "metadata"))
    for name in dropped:
        del value[name]
    return dropped


def converted(resource: Resource) -> Expected:
    """Return what a strategic merge patch gives: the same kind, which Go reads by other code with other words."""
    return Expected(resource.kind, resource.api_version, _reader(resource, resource.strategy.prune_converted))


def _reader(resource: Resource, prune: Prune) -> Callable[[JsonObject], list[str]]:
    def read(value: JsonObject) -> list[str]:
        try:
            unknown = prune(value)
        except Failure as failure:
            raise _unreadable(failure) from None
        resource.strategy.default(value)
        return unknown

    return read


def _unreadable(failure: Failure) -> Exception:
    return Unreadable(failure.message) if failure.code == _BAD_REQUEST else failure
