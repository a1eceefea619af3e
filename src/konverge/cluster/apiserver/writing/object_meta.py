"""The metadata of a custom resource: read with Go's ObjectMeta, as built-in kinds have theirs read with the rest."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from konverge.cluster.apiserver.builtin.go_finding import Found, Place
from konverge.cluster.apiserver.builtin.go_scalar import GoType
from konverge.cluster.apiserver.builtin.go_type import type_of
from konverge.cluster.apiserver.failure import bad_request
from konverge.cluster.apiserver.strategy import JsonObject

# What only the server sets; a create that brings them is as one that does not.
_SYSTEM_FIELDS: Final = ("creationTimestamp", "uid", "deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
_PLACE: Final = Place(where="metadata")


@cache
def _object_meta() -> GoType:
    return type_of("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")


def read_metadata(value: JsonObject) -> list[str]:
    """Drop what metadata cannot have and return its paths; raise (400) where a field is of another type."""
    metadata = value.get("metadata")
    if metadata is None:
        value["metadata"] = {}
        return []
    found = Found()
    _object_meta().read(metadata, _PLACE, found)
    if found.error:
        raise bad_request(found.error)
    return found.unknown


def metadata_of(value: JsonObject) -> JsonObject:
    """Return an object's metadata, made where there is none."""
    metadata: Any = value.get("metadata")
    if metadata is None:
        metadata = value["metadata"] = {}
    found: JsonObject = metadata
    return found


def wipe_system_fields(metadata: JsonObject) -> None:
    """Drop what only the server sets."""
    for name in _SYSTEM_FIELDS:
        metadata.pop(name, None)
