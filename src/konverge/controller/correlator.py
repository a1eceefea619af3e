"""Correlator: which recorded events are sent, and as what: client-go's rules, pure, the time comes in as `now`.

1. **Spam**: a controller may send 25 events about an object at once, and one more every five minutes.
2. **Similar**: events within 10 minutes that differ in their note alone are one from the tenth on: the latest.
3. **Same**: an event that was there before is counted in its series instead of being sent again.

Memory is bounded: of each sort, the 4,096 entries used last are kept.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Final, Generic, Self, TypeVar

import msgspec

from konverge.api.object import Object

_BURST: Final = 25
_RATE: Final = 1 / 300
_SIMILAR: Final = 10
_WINDOW: Final = timedelta(minutes=10)
_ENTRIES: Final = 4096
_COMBINED: Final = "(combined from similar events): "

V = TypeVar("V")


@dataclass(frozen=True, slots=True)
class Regarding:
    """The object that an event is about."""

    api_version: str
    kind: str
    namespace: str
    name: str
    uid: str = ""
    resource_version: str = field(default="", compare=False)  # an event about a newer version is the same event

    @classmethod
    def of(cls, obj: Object) -> Self:
        """Return the reference to an object."""
        meta = obj.metadata
        return cls(
            obj.api_version,
            obj.kind,
            meta.namespace or "",
            meta.name or "",
            meta.uid or "",
            meta.resource_version or "",
        )


class Occurrence(msgspec.Struct, frozen=True, kw_only=True):
    """One event as it was recorded."""

    controller: str
    regarding: Regarding
    type: str
    reason: str
    action: str
    note: str
    related: Regarding | None = None


class Series(msgspec.Struct):
    """The same event over time; its name on the server is known once it was sent."""

    first_seen: datetime
    count: int = 0
    name: str = ""


class Sighting(msgspec.Struct, frozen=True, kw_only=True):
    """An event that is to be sent: the `count`-th of its series."""

    occurrence: Occurrence
    note: str
    count: int
    first_seen: datetime
    last_seen: datetime
    series: Series


class _Similar(msgspec.Struct):
    notes: dict[str, None] = msgspec.field(default_factory=dict)
    last: datetime | None = None


class _Allowance(msgspec.Struct):
    at: datetime
    tokens: float = float(_BURST)


class _Recent(Generic[V]):
    """A mapping that forgets what was used longest ago."""

    def __init__(self) -> None:
        self._entries: OrderedDict[Hashable, V] = OrderedDict()

    def get(self, key: Hashable, make: Callable[[], V]) -> V:
        found = self._entries.get(key)
        if found is None:
            found = self._entries[key] = make()
            if len(self._entries) > _ENTRIES:
                self._entries.popitem(last=False)
        else:
            self._entries.move_to_end(key)
        return found


class Correlator:
    """Remembers what was recorded."""

    def __init__(self) -> None:
        self._spam: _Recent[_Allowance] = _Recent()
        self._similar: _Recent[_Similar] = _Recent()
        self._series: _Recent[Series] = _Recent()

    def see(self, occurrence: Occurrence, now: datetime) -> Sighting | None:
        """Return what is to be sent of an event; None for nothing."""
        kin = (
            occurrence.controller,
            occurrence.regarding,
            occurrence.type,
            occurrence.reason,
            occurrence.action,
            occurrence.related,
        )
        note = self._note(kin, occurrence.note, now)
        # All combined events of a kin are one series, whatever the latest note says.
        combined = note is not occurrence.note
        series = self._series.get((kin, None if combined else note), lambda: Series(now))
        series.count += 1
        if not self._allowed((occurrence.controller, occurrence.regarding), now):
            return None
        return Sighting(
            occurrence=occurrence,
            note=note,
            count=series.count,
            first_seen=series.first_seen,
            last_seen=now,
            series=series,
        )

    def _note(self, kin: Hashable, note: str, now: datetime) -> str:
        similar = self._similar.get(kin, _Similar)
        if similar.last is not None and now - similar.last > _WINDOW:
            similar.notes.clear()
        similar.last = now
        similar.notes[note] = None
        if len(similar.notes) < _SIMILAR:
            return note
        similar.notes.pop(next(iter(similar.notes)))  # enough are known; more would only take memory
        return _COMBINED + note

    def _allowed(self, source: Hashable, now: datetime) -> bool:
        allowance = self._spam.get(source, lambda: _Allowance(now))
        passed = (now - allowance.at).total_seconds()
        allowance.tokens = min(float(_BURST), allowance.tokens + max(0.0, passed) * _RATE)
        allowance.at = now
        if allowance.tokens < 1.0:
            return False
        allowance.tokens -= 1.0
        return True
