"""What a kind may do differently when its objects are written, beyond what every `Strategy` says.

Each is an attribute that a strategy may have; here stands what it is where a strategy has none.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from typing import Any, Protocol

from konverge.cluster.apiserver.failure import forbidden
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject


class Propagation(StrEnum):
    """What becomes of the dependents of a deleted object where the request does not say."""

    DELETE = "delete"
    ORPHAN = "orphan"
    UNSUPPORTED = "unsupported"  # nothing depends on such an object, and no finalizer is ever set for it


class FieldManager(Protocol):
    """Keeps the record of who owns which field."""

    def update(
        self, live: JsonObject | None, new: JsonObject, *, manager: str, subresource: str, time: str
    ) -> JsonObject:
        """Return the new object with the record of a plain write."""

    def apply(
        self, live: JsonObject | None, patch: JsonObject, *, manager: str, force: bool, subresource: str, time: str
    ) -> JsonObject:
        """Return the live object with a configuration applied, or raise a conflict."""


def field_manager(resource: Resource) -> FieldManager | None:
    """Return the field manager of a kind."""
    found: FieldManager | None = getattr(resource.strategy, "field_manager", None)
    return found


def converts(resource: Resource) -> bool:
    """Whether objects are stored in another form than the one in which they are served here."""
    found: bool = getattr(resource.strategy, "converts", resource.version != resource.storage_version)
    return found


def refuse_create(resource: Resource, name: str) -> None:
    """Raise where nothing of this kind can be created now."""
    why: str = getattr(resource.strategy, "refuses_create", "")
    if why:
        raise forbidden(resource.plural, resource.group, name, why)


def propagation(resource: Resource) -> Propagation:
    """Return what becomes of dependents by default."""
    found: Propagation = getattr(resource.strategy, "propagation", Propagation.DELETE)
    return found


def grace(resource: Resource, value: JsonObject, asked: int | None) -> int | None:
    """Return the seconds that an object of this kind has to end; None where it does not end gracefully."""
    rule: Callable[[JsonObject, int | None], int | None] | None = getattr(resource.strategy, "grace", None)
    return rule(value, asked) if rule is not None else None


def marks_deletion(resource: Resource) -> bool:
    """Whether objects of a kind are first marked as ending, each in the way of the kind, before they can go."""
    return getattr(resource.strategy, "begin_delete", None) is not None


def begin_delete(resource: Resource, value: JsonObject) -> None:
    """Let a kind mark an object that is being deleted, in place."""
    mark: Callable[[JsonObject], Any] = resource.strategy.begin_delete  # type: ignore[attr-defined]  # marks_deletion
    mark(value)


def may_end(resource: Resource, value: JsonObject) -> bool:
    """Whether an object without finalizers that is being deleted can go: a Namespace has finalizers of its own."""
    rule: Callable[[JsonObject], bool] | None = getattr(resource.strategy, "may_end", None)
    return rule(value) if rule is not None else True


def update_warnings(resource: Resource, value: JsonObject, old: JsonObject) -> list[str]:
    """Say what the author of an update should know."""
    rule: Callable[[JsonObject, JsonObject], list[str]] | None = getattr(resource.strategy, "update_warnings", None)
    return rule(value, old) if rule is not None else resource.strategy.warnings(value)
