"""Watch events: what happened to an object, and the object as it was then."""

from __future__ import annotations

from collections.abc import Callable
from enum import StrEnum
from functools import partial
from typing import Any, Generic

import msgspec

from konverge import errors
from konverge.api.form import Form, T
from konverge.api.model import decode
from konverge.api.object import reader
from konverge.api.watch import RawEvent
from konverge.client.listing import read_named, read_object
from konverge.errors import Operation


class EventType(StrEnum):
    """What a watch event says; a bookmark says only how far the watch has come."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"


class WatchEvent(msgspec.Struct, Generic[T], frozen=True):
    """One change."""

    type: EventType
    object: T

    @property
    def ends_initial_events(self) -> bool:
        """Whether this bookmark closes the initial list that a watch with `send_initial_events` begins with."""
        annotations = self.object.metadata.annotations or {}
        return self.type is EventType.BOOKMARK and annotations.get("k8s.io/initial-events-end") == "true"


_TYPES = {kind.value: kind for kind in EventType}


def event_reader(form: Form[T], operation: Operation) -> Callable[[RawEvent], WatchEvent[T]]:
    """Return what decodes the events of one watch; one of type ERROR is raised as the error it is."""
    read_one = partial(read_object, form=form) if form.metadata_only else reader(form.cls)

    def read_event(event: RawEvent) -> WatchEvent[T]:
        kind = _TYPES.get(event.type)
        if kind is None:
            raise _complaint(event, operation)
        try:
            return WatchEvent(kind, read_one(event.object))
        except (msgspec.MsgspecError, errors.DecodeError):
            return WatchEvent(kind, _read_slowly(event, form, operation))

    return read_event


def _read_slowly(event: RawEvent, form: Form[T], operation: Operation) -> T:
    """Read an object once more, for an error that says which one and what was asked for."""
    try:
        return read_named(event.object, form)
    except errors.DecodeError as error:
        raise errors.DecodeError(f"{operation}: {error}") from error


def _complaint(event: RawEvent, operation: Operation) -> errors.KonvergeError:
    if event.type == "ERROR":
        return errors.from_status(decode(dict[str, Any], event.object), operation=operation)
    return errors.DecodeError(f"{operation}: the watch sent an event of unknown type {event.type[:40]!r}")
