"""Stored bytes as objects: in the version that is asked for, with what reading adds; or left as they are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import msgspec

from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import JsonObject

_DECODER: Final = msgspec.json.Decoder(JsonObject)


def reads_as_stored(resource: Resource) -> bool:
    """Whether the stored bytes are what a reader gets: no conversion, and no defaults that came later."""
    is_same_version = resource.version == resource.storage_version
    return is_same_version and resource.strategy.reads_as_stored


def stored_object(resource: Resource, value: bytes) -> JsonObject:
    """Return a stored object in the resource's version."""
    decoded = _DECODER.decode(value)
    return decoded if reads_as_stored(resource) else resource.strategy.from_storage(decoded)


def served_bytes(resource: Resource, value: bytes) -> bytes:
    """Return a stored object in the resource's version, as JSON."""
    if reads_as_stored(resource):
        return value
    return msgspec.json.encode(stored_object(resource, value))


def item_writer(resource: Resource) -> Callable[[bytes], bytes]:
    """Return what makes an item of a list of a stored object; built-in kinds leave out what the list's kind says."""
    if resource.is_custom:
        return _same if reads_as_stored(resource) else lambda value: served_bytes(resource, value)
    if not reads_as_stored(resource):
        return lambda value: _bare(resource, value)
    lengths = {begin: len(begin) for begin in _beginnings(resource)}

    def cut(value: bytes) -> bytes:
        for begin, length in lengths.items():
            if value.startswith(begin):
                return b"{" + value[length:]
        return _bare(resource, value)

    return cut


def _same(value: bytes) -> bytes:
    return value


def _bare(resource: Resource, value: bytes) -> bytes:
    item = stored_object(resource, value)
    item.pop("kind", None)
    item.pop("apiVersion", None)
    return msgspec.json.encode(item)


def _beginnings(resource: Resource) -> tuple[bytes, bytes]:
    kind, version = f'"kind":"{resource.kind}"', f'"apiVersion":"{resource.api_version}"'
    return f"{{{version},{kind},".encode(), f"{{{kind},{version},".encode()
