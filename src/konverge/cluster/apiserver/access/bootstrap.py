"""The roles and bindings that every cluster has from its first start, as the real server makes them.

They are written from texts that lack only what is new in each server: making them through the API would take twenty
times as long. What is there already gets back what it lacks (`bootstrap_reconciliation`).
"""

from __future__ import annotations

from collections.abc import Awaitable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.access.bootstrap_reconciliation import Handle, reconcile
from konverge.cluster.apiserver.access.roles import GROUP
from konverge.cluster.apiserver.builtin import captured
from konverge.cluster.apiserver.ids import Ids
from konverge.cluster.apiserver.storage import Storage, Stored

_SLOTS: Final = ("<uid>", "<version>", "<created>", "<recorded>")  # in the order in which they stand in a text


@dataclass(frozen=True, slots=True)
class _Text:
    """One object, in the parts between what is new in each server."""

    key: str
    parts: tuple[bytes, ...]

    def filled(self, *, uid: bytes, version: int, time: bytes) -> bytes:
        head, after_uid, after_version, after_created, tail = self.parts
        return b"".join((head, uid, after_uid, b"%d" % version, after_version, time, after_created, time, tail))


@cache
def _texts() -> tuple[_Text, ...]:
    objects = captured.read_json("bootstrap.json")
    return tuple(_text(plural, value) for plural, values in objects.items() for value in values)


def _text(plural: str, value: dict[str, Any]) -> _Text:
    metadata = dict(value["metadata"])
    key = _key(plural, metadata)
    uid, version, created, recorded = _SLOTS
    entries = [{"time": recorded, **entry} for entry in metadata.pop("managedFields")]
    marked = {"uid": uid, "resourceVersion": version, "creationTimestamp": created, **metadata}
    text = msgspec.json.encode({**value, "metadata": {**marked, "managedFields": entries}})
    return _Text(key, _split(text))


def _key(plural: str, metadata: dict[str, Any]) -> str:
    place = "/".join(metadata[name] for name in ("namespace", "name") if name in metadata)
    return f"/{GROUP}/{plural}/{place}"


def _split(text: bytes) -> tuple[bytes, ...]:
    parts = []
    for slot in _SLOTS:
        part, _, text = text.partition(slot.encode())
        parts.append(part)
    return (*parts, text)


async def make_bootstrap_roles(storage: Storage, ids: Ids) -> bool:
    """Write the roles and bindings that are not there; return whether any were, which may lack something."""
    time = format_time(now()).encode()
    written: Awaitable[Stored] | None = None
    were_there = False
    for text in _texts():
        if storage.newest(text.key) is None:
            written = _put(storage, text, uid=ids.uid().encode(), time=time)
        else:
            were_there = True
    if written is not None:
        await written  # the last one is durable after all others
    return were_there


async def reconcile_bootstrap_roles(storage: Storage, handle: Handle) -> None:
    """Give roles and bindings back what they lack of what they were made with."""
    for plural, values in captured.read_json("bootstrap.json").items():
        stored = [(storage.get(_key(plural, value["metadata"])), value) for value in values]
        await reconcile(handle, plural, ((msgspec.json.decode(found.value), value) for found, value in stored if found))


def _put(storage: Storage, text: _Text, *, uid: bytes, time: bytes) -> Awaitable[Stored]:
    return storage.put(text.key, lambda version: text.filled(uid=uid, version=version, time=time), based_on=0)
