"""Who may lead: the decisions of client-go's leader election, without I/O.

A lease is a record on the server that its holder renews. A candidate never compares the times in it with its own
clock: it notes, on its own clock, when it last saw the record change, and takes the lease over when it has not
changed for the time the record itself promises. So clocks may differ by years; they must only run at one rate.
"""

from __future__ import annotations

from datetime import datetime

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What a lease says."""

    holder: str = ""  # empty: given back, anyone may take it
    duration: int = 0  # seconds that others leave the holder alone after each renewal
    acquired: datetime | None = None
    renewed: datetime | None = None
    transitions: int = 0


class Seen(msgspec.Struct, frozen=True):
    """A record as a candidate knows it, and when on its own clock it saw it change last."""

    record: Record
    version: str  # the resourceVersion to write over; a write over an older one is refused by the server
    at: float

    def valid(self, now: float) -> bool:
        """Whether the holder's time is not over yet."""
        return now < self.at + self.record.duration


class Read(msgspec.Struct, frozen=True):
    """Look at the lease first: what is known is not enough, or may be old."""


class Wait(msgspec.Struct, frozen=True):
    """Leave it: somebody holds it."""

    holder: str


class Write(msgspec.Struct, frozen=True):
    """Write this record over this version; an empty one creates the lease."""

    record: Record
    version: str


class Candidate(msgspec.Struct, frozen=True, kw_only=True):
    """One who wants to lead: a name that nobody else has, and how long a lease is asked for."""

    identity: str
    duration: int

    def first_step(self, seen: Seen | None, *, now: float, wall: datetime) -> Read | Write:
        """Renew what we hold without asking first, since nobody else may have written; else look."""
        if seen is not None and seen.record.holder == self.identity and seen.valid(now):
            return Write(self._renewal(seen.record, wall), seen.version)
        return Read()

    def after_reading(self, seen: Seen | None, *, now: float, wall: datetime) -> Wait | Write:
        """Decide on the lease as it has just been read; None if there is none."""
        if seen is None:
            return Write(self._record(wall, transitions=0), "")
        record = seen.record
        if record.holder == self.identity:
            return Write(self._renewal(record, wall), seen.version)
        if record.holder and seen.valid(now):
            return Wait(record.holder)
        return Write(self._record(wall, transitions=record.transitions + 1), seen.version)

    def given_back(self, seen: Seen, *, wall: datetime) -> Write | None:
        """Return what gives the lease back, so that the next one need not wait; None if it is not ours."""
        if seen.record.holder != self.identity:
            return None
        record = Record(duration=1, acquired=wall, renewed=wall, transitions=seen.record.transitions)
        return Write(record, seen.version)

    def _record(self, wall: datetime, *, transitions: int) -> Record:
        return Record(
            holder=self.identity, duration=self.duration, acquired=wall, renewed=wall, transitions=transitions
        )

    def _renewal(self, old: Record, wall: datetime) -> Record:
        return msgspec.structs.replace(old, duration=self.duration, renewed=wall)


def observe(known: Seen | None, record: Record, version: str, *, now: float) -> Seen:
    """Return what is known after a read: the clock starts anew only if the record changed."""
    if known is not None and known.record == record:
        return Seen(record, version, known.at)
    return Seen(record, version, now)
