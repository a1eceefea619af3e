"""Attributes: one write as admission sees it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from konverge.cluster.apiserver.access.user import User
from konverge.cluster.apiserver.failure import Failure, forbidden
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject


class Operation(StrEnum):
    """What a write does, as rules name it. A patch is an update, or a create where it makes the object."""

    CREATE = "CREATE"
    UPDATE = "UPDATE"
    DELETE = "DELETE"
    CONNECT = "CONNECT"


class GroupVersionKind(NamedTuple):
    """The type of an object."""

    group: str
    version: str
    kind: str

    @classmethod
    def of(cls, resource: Resource) -> GroupVersionKind:
        """Return the type of a resource's objects."""
        return cls(resource.group, resource.version, resource.kind)

    @property
    def api_version(self) -> str:
        """`apps/v1`, `v1`."""
        return f"{self.group}/{self.version}" if self.group else self.version


@dataclass(slots=True, kw_only=True)
class Attributes:
    """One write. A mutator changes `value` in place by `become`; `old` and `options` are never changed.

    Objects are in the version of the request, in the form in which a reader would get them.
    """

    operation: Operation
    resource: Resource  # that the URL names
    subresource: str = ""
    kind: GroupVersionKind  # of the objects: the resource's own, or the subresource's (Scale, Eviction, TokenRequest)
    namespace: str = ""  # a Namespace is in the one of its own name
    name: str = ""  # empty where it is yet to be made up, and with deletecollection
    value: JsonObject | None  # None with a deletion
    old: JsonObject | None = None  # None with a create
    read: Callable[[JsonObject], object]  # reads a value as one of the kind, defaults and all; raises where it is none
    options: JsonObject  # CreateOptions, UpdateOptions, DeleteOptions with their kind
    is_dry_run: bool = False
    user: User
    warnings: list[str]  # each becomes a `Warning: 299` header; append to it
    annotations: dict[str, str] = field(default_factory=dict)  # of the audit log
    deadline: float = float("inf")  # the loop's time: when the whole request must be over
    is_reinvoked: bool = False  # the second round: earlier mutators see what later ones made of the object
    wants_reinvocation: bool = False  # set by a mutator that changed the object; there is one second round at most
    is_changed: bool = False  # whether a mutator has changed the object
    memory: dict[str, object] = field(default_factory=dict)  # what a plugin keeps from one round to the next

    def become(self, value: JsonObject) -> None:
        """Make the object what a mutator made of it: a value of its own, which is read and defaulted as its kind."""
        if self.value is None:
            raise ValueError(f"{self.operation} of {self.resource.plural} has no object that could be changed")
        self.read(value)
        if value != self.value:
            self.is_changed = True
        self.value.clear()
        self.value.update(value)

    def forbidden(self, why: str) -> Failure:
        """Return the refusal of this write."""
        metadata = (self.value or {}).get("metadata") or {}
        name = self.name or metadata.get("name") or metadata.get("generateName") or "Unknown"
        return forbidden(self.resource.plural, self.resource.group, name, why)
