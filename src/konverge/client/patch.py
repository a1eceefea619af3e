"""Patches as values: what to send so that an object on the server takes on the author's changes.

Each form is made from the object as it was; without one, from what the object itself was read from::

    pod.metadata.labels = {"tier": "web"}
    await client.patch(pod)                                   # a merge patch of the changes since it was read
    await client.patch(pod, MergePatch(optimistic_lock=True)) # … that fails if someone else wrote in between
    await client.patch(pod, RawPatch(JSON_PATCH, b'[{"op": "remove", "path": "/metadata/labels/tier"}]'))
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import msgspec

from konverge import models
from konverge.api import json_patch, merge_patch, strategic_merge_patch
from konverge.api.model import encode
from konverge.api.object import Object, origin_of
from konverge.api.patch_schema import PatchSchema
from konverge.api.request import JSON_PATCH, MERGE_PATCH, STRATEGIC_MERGE_PATCH
from konverge.api.strategic_schema import schema_of
from konverge.errors import RequestError


class Patch(Protocol):
    """Anything that can say, for an object, which bytes of which media type to send."""

    @property
    def media_type(self) -> str:
        """The content type that tells the server what kind of patch it is."""
        ...

    def data(self, obj: Object) -> bytes:
        """Return the patch that brings the server's object to this one."""
        ...


def _before(obj: Object, base: Object | None) -> dict[str, Any]:
    """The object as it was, as JSON: the given base, or the bytes the object was read from."""
    if base is not None:
        return base.to_dict()
    origin = origin_of(obj)
    if origin is None:
        raise RequestError(
            f'{obj.kind} "{obj.metadata.key}" was not read from the server, so there is nothing to compare it with: '
            "read it first, or give the patch the object as it was"
        )
    found: dict[str, Any] = msgspec.json.decode(origin.data)
    return found


class MergePatch(msgspec.Struct, frozen=True):
    """A JSON merge patch (RFC 7386): works on every kind; a changed list is sent whole."""

    base: Object | None = None
    optimistic_lock: bool = False  # True: the write is refused with Conflict if the object has changed since
    media_type: str = MERGE_PATCH

    def data(self, obj: Object) -> bytes:
        """Return the difference between the base and the object."""
        before = _before(obj, self.base)
        patch = merge_patch.create(before, obj.to_dict())
        if self.optimistic_lock:
            if not isinstance(patch, dict):
                raise RequestError("a patch of a whole document cannot carry an optimistic lock")
            version = before.get("metadata", {}).get("resourceVersion")
            if not version:
                raise RequestError(f'{obj.kind} "{obj.metadata.key}" has no resourceVersion to lock on: read it first')
            patch.setdefault("metadata", {})["resourceVersion"] = version
        return encode(patch)


class StrategicMergePatch(msgspec.Struct, frozen=True):
    """Kubernetes' own patch: lists with a merge key are merged item by item. Built-in kinds only."""

    base: Object | None = None
    media_type: str = STRATEGIC_MERGE_PATCH

    def data(self, obj: Object) -> bytes:
        """Return the difference between the base and the object, by the schema of its class."""
        # The kind's own rules, also for an Unstructured or a class that knows only a part of the fields.
        schema: PatchSchema = schema_of(models.find(obj.gvk) or type(obj))
        return encode(strategic_merge_patch.create(_before(obj, self.base), obj.to_dict(), schema))


class JsonPatch(msgspec.Struct, frozen=True):
    """A JSON patch (RFC 6902): the given operations, or those that lead from the base to the object."""

    operations: Sequence[Mapping[str, Any]] | None = None
    base: Object | None = None
    media_type: str = JSON_PATCH

    def data(self, obj: Object) -> bytes:
        """Return the operations."""
        if self.operations is not None:
            return encode(list(self.operations))
        return encode(json_patch.create(_before(obj, self.base), obj.to_dict()))


class RawPatch(msgspec.Struct, frozen=True):
    """Bytes of the author's own, sent as they are."""

    media_type: str
    content: bytes

    def data(self, _obj: Object) -> bytes:
        """Return the bytes."""
        return self.content
