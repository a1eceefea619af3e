"""EventExpiry: events last an hour after they were last written, and then go as if deleted; watchers see it.

The real server gives each event a lease of etcd. Here nothing is kept beside the events: what was written says when,
so the rule holds after a restart as well, and a write pays for no more than a look at its kind. Nothing that is younger
than an hour can be due, so a timer is set for the oldest, and there is none where there are no events.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Final

import msgspec

from konverge.clock import now
from konverge.cluster.apiserver.resource import Resource, Resources
from konverge.cluster.apiserver.storage import Closed, Stale, Storage, Stored, WriteFailed
from konverge.cluster.apiserver.strategy import JsonObject

LASTS: Final = timedelta(hours=1)
_BETWEEN: Final = timedelta(minutes=1)  # looks: so long the real server may put an event on the lease of an older one
_PLURAL: Final = "events"
_AT_ONCE: Final = 500  # events that are looked at without a pause


class _Entry(msgspec.Struct):
    time: datetime | None = None


class _Metadata(msgspec.Struct, rename="camel"):
    creation_timestamp: datetime | None = None
    managed_fields: list[_Entry] | None = None


class _Event(msgspec.Struct):
    metadata: _Metadata


_DECODER: Final = msgspec.json.Decoder(_Event)


class EventExpiry:
    """Removes events in time. `start` it on the server's loop, tell it of writes, and `close` it."""

    def __init__(self, storage: Storage, resources: Resources) -> None:
        events = resources.find("", "v1", _PLURAL)
        self._storage = storage
        self._prefix = "" if events is None else events.prefix
        self._timer: asyncio.Handle | None = None  # none where there are no events

    def start(self) -> None:
        """Look at the events that are there already."""
        if self._prefix:
            self._look()

    def changed(self, resource: Resource) -> None:
        """Set the timer where the first event was written."""
        if self._timer is None and resource.plural == _PLURAL and resource.prefix == self._prefix:
            self._wait(LASTS)

    def close(self) -> None:
        """Remove nothing more."""
        self._prefix = ""
        if self._timer is not None:
            self._timer.cancel()

    def _wait(self, span: timedelta) -> None:
        self._timer = asyncio.get_running_loop().call_later(span.total_seconds(), self._look)

    def _look(self, after: str = "", oldest: datetime | None = None) -> None:
        """Remove what is due, page by page, and wait for what is left."""
        page = self._storage.range(self._prefix, after=after, limit=_AT_ONCE)
        moment = now()
        for stored in page.items:
            written = _written(stored, moment)
            if moment - written < LASTS or not self._is_removed(stored):
                oldest = min(oldest or written, written)
        if page.remaining:
            self._timer = asyncio.get_running_loop().call_soon(self._look, page.items[-1].key, oldest)
        elif oldest is None:
            self._timer = None
        else:
            self._wait(max(LASTS - (moment - oldest), _BETWEEN))

    def _is_removed(self, stored: Stored) -> bool:
        """Remove an event; one that is being written again stays."""
        with suppress(Stale, WriteFailed, Closed):
            self._storage.delete(stored.key, lambda revision: _last_state(stored, revision), based_on=stored.revision)
            return True
        return False


def _written(stored: Stored, moment: datetime) -> datetime:
    """Return when an event was last written, as it says itself: by a moment, for clients may have said when."""
    metadata = _DECODER.decode(stored.value).metadata
    said = (metadata.creation_timestamp, *(entry.time for entry in metadata.managed_fields or ()))
    return max((time for time in said if time is not None and time <= moment), default=moment)


def _last_state(stored: Stored, revision: int) -> bytes:
    value = msgspec.json.decode(stored.value, type=JsonObject)
    value["metadata"]["resourceVersion"] = str(revision)
    return msgspec.json.encode(value)
