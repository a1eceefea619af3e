"""Watch events: what happened to an object, and the object as it was then."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Generic

from konverge import errors
from konverge.api.form import Form, T
from konverge.api.model import decode
from konverge.api.watch import RawEvent
from konverge.client.listing import read_named
from konverge.errors import Operation


class EventType(StrEnum):
    """What a watch event says; a bookmark says only how far the watch has come."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


@dataclass(frozen=True)
class WatchEvent(Generic[T]):
    """One change."""

    type: EventType
    object: T

    @property
    def ends_initial_events(self) -> bool:
        """Whether this bookmark closes the initial list that a watch with `send_initial_events` begins with."""
        annotations = self.object.metadata.annotations or {}
        return self.type is EventType.BOOKMARK and annotations.get("k8s.io/initial-events-end") == "true"


def read_event(event: RawEvent, form: Form[T], operation: Operation) -> WatchEvent[T]:
    """Decode an event; one of type ERROR is raised as the error it is."""
    if event.type == "ERROR":
        raise errors.from_status(decode(dict[str, Any], event.object), operation=operation)
    try:
        kind = EventType(event.type)
    except ValueError:
        raise errors.DecodeError(f"{operation}: the watch sent an event of unknown type {event.type[:40]!r}") from None
    return WatchEvent(kind, read_named(event.object, form))
