"""Live: the object that a write builds upon, and how a write comes to be the next state of it.

All of a write happens between two awaits: the newest state is read, the new one is made and put in its place. So no
write is ever based on another state than the newest, and none has to be tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import msgspec

from konverge.api.json_value import json_equal
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.call import Call, Outcome
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.reading.decode import reads_as_stored, stored_object
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.storage import Storage, Stored
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.admission import settle

_encode: Final = msgspec.json.Encoder().encode
_LARGEST_OBJECT: Final = 3 * 512 * 1024  # bytes; etcd's limit, and clients know its words


@dataclass(frozen=True, slots=True)
class Live:
    """An object as it stands, writes under way included."""

    stored: Stored
    value: JsonObject  # in the version of the call; a copy of its own, and never changed

    @property
    def metadata(self) -> JsonObject:
        """The object's metadata."""
        found: JsonObject = self.value["metadata"]
        return found

    def copy(self, resource: Resource) -> JsonObject:
        """Return the object once more, to be changed."""
        return stored_object(resource, self.stored.value)


def key_of(call: Call, name: str = "") -> str:
    """Return the key of the object that a call is about."""
    return call.resource.key(call.route.namespace, name or call.route.name)


def find_live(context: Context, call: Call, name: str = "") -> Live | None:
    """Return the object that a call is about, or None where there is none."""
    stored = context.storage.newest(key_of(call, name))
    return None if stored is None else Live(stored, stored_object(call.resource, stored.value))


def time_now() -> str:
    """Return the time as metadata has it."""
    return format_time(now())


def _stored_form(resource: Resource, value: JsonObject) -> JsonObject:
    """Return an object as it is stored: its type first, so that a list can cut it off."""
    form = resource.strategy.to_storage(value) if resource.converts else value
    return {"kind": form["kind"], "apiVersion": form["apiVersion"], **form}


async def put(context: Context, call: Call, value: JsonObject, *, live: Live | None, status: int = 200) -> Outcome:
    """Make a value the next state of an object, and answer with it once it is durable."""
    resource = call.resource
    if resource.strategy.asks_webhook:
        await resource.strategy.prepare_storing(value)
    form = _stored_form(resource, value)
    key = resource.key(call.route.namespace, value["metadata"]["name"])
    settle(context, resource, live.value if live else None, value)
    write = context.storage.put(key, lambda revision: _numbered(form, revision), based_on=_revision(live))
    stored = await write
    value["metadata"]["resourceVersion"] = str(stored.revision)
    await context.after_write(resource, live.value if live else None, value)
    if reads_as_stored(resource):
        return Outcome(status=status, value=value, encoded=stored.value)
    if resource.strategy.asks_webhook:
        await resource.strategy.prepare_reading([stored.value])
    # What was written is read again: a version may lack what the other has, or have a default that nobody wrote.
    return Outcome(status=status, value=stored_object(resource, stored.value) if resource.is_custom else value)


async def remove(context: Context, call: Call, live: Live) -> JsonObject:
    """Delete an object; return its last state, with the version of its deletion."""
    form = _last_form(call, live)
    settle(context, call.resource, live.value, None)
    write = context.storage.delete(
        live.stored.key, lambda revision: _numbered(form, revision), based_on=_revision(live)
    )
    await write
    await context.after_write(call.resource, live.value, None)
    return form


def _numbered(form: JsonObject, revision: int) -> bytes:
    form["metadata"]["resourceVersion"] = str(revision)
    encoded = _encode(form)
    if len(encoded) > _LARGEST_OBJECT:
        raise Failure(500, "", "etcdserver: request is too large")
    return encoded


def _revision(live: Live | None) -> int:
    return live.stored.revision if live else 0


def _last_form(call: Call, live: Live) -> JsonObject:
    if call.resource.strategy.asks_webhook:  # as it is stored: nobody need be asked to let it go
        return msgspec.json.decode(live.stored.value, type=JsonObject)
    return _stored_form(call.resource, live.copy(call.resource))


async def is_same(call: Call, value: JsonObject, live: Live) -> bool:
    """Whether a value is what is stored already."""
    if call.resource.strategy.asks_webhook:
        await call.resource.strategy.prepare_storing(value)
    if value != live.value and not call.resource.converts:
        return False
    return json_equal(_stored_form(call.resource, value), msgspec.json.decode(live.stored.value))


async def unchanged(context: Context, call: Call, live: Live) -> Outcome:
    """Answer with an object that stays as it is."""
    await durable(context.storage, live.stored)
    is_ready = reads_as_stored(call.resource)
    return Outcome(status=200, value=live.value, encoded=live.stored.value if is_ready else b"")


async def durable(storage: Storage, stored: Stored) -> None:
    """Wait until a state that was built upon is durable: no answer shows one that is not."""
    if storage.revision < stored.revision:
        await storage.settled(stored.revision)
