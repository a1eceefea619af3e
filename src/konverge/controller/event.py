"""Events: what happened to an object, as predicates judge it and handlers turn it into requests.

An event carries the object as the cache holds it. `metadata` is read without decoding the rest, so a predicate on
labels or generations costs next to nothing; `object`, `old` and `new` decode, a new copy each time they are asked for.
An event that the author makes (for a channel, in a test) may carry a typed object instead.
"""

from __future__ import annotations

from typing import Generic

import msgspec

from konverge.api.form import T
from konverge.api.kind import ObjectKey
from konverge.api.meta import ObjectMeta
from konverge.api.object import Object
from konverge.cache.stored import Header, Stored

Metadata = Header | ObjectMeta
"""The metadata of an event's object: what the cache has read of it, or a typed object's own."""


class _OneObject(msgspec.Struct, Generic[T], frozen=True, eq=False):
    """What the events about one state of an object share."""

    subject: Stored[T] | T

    @property
    def object(self) -> T:
        """The object, decoded anew: the caller's own copy."""
        return _decoded(self.subject)

    @property
    def metadata(self) -> Metadata:
        """Its metadata, without decoding the rest."""
        return self.subject.metadata

    @property
    def key(self) -> ObjectKey:
        """Its namespace and name; nothing is decoded where the cache knows them."""
        return _key(self.subject)


class CreateEvent(_OneObject[T], frozen=True, eq=False):
    """An object is there: it was created, or it was there before we looked (`is_in_initial_list`)."""

    is_in_initial_list: bool = False

    def __repr__(self) -> str:
        initial = ", in the initial list" if self.is_in_initial_list else ""
        return f"CreateEvent({_shown(self.subject)}{initial})"


class DeleteEvent(_OneObject[T], frozen=True, eq=False):
    """An object is gone; with `delete_state_unknown`, this is the last state we saw and not the last it had."""

    delete_state_unknown: bool = False

    def __repr__(self) -> str:
        unknown = ", last state unknown" if self.delete_state_unknown else ""
        return f"DeleteEvent({_shown(self.subject)}{unknown})"


class GenericEvent(_OneObject[T], frozen=True, eq=False):
    """Something outside of the cluster happened that concerns an object."""

    def __repr__(self) -> str:
        return f"GenericEvent({_shown(self.subject)})"


class UpdateEvent(msgspec.Struct, Generic[T], frozen=True, eq=False):
    """An object changed, or is shown again by a resync: then both have the same resource version."""

    subject_old: Stored[T] | T
    subject: Stored[T] | T

    @property
    def old(self) -> T:
        """The object as it was, decoded anew."""
        return _decoded(self.subject_old)

    @property
    def new(self) -> T:
        """The object as it is, decoded anew."""
        return _decoded(self.subject)

    @property
    def object(self) -> T:
        """The object as it is: what every kind of event has."""
        return self.new

    @property
    def metadata_old(self) -> Metadata:
        """The metadata as it was."""
        return self.subject_old.metadata

    @property
    def metadata(self) -> Metadata:
        """The metadata as it is."""
        return self.subject.metadata

    @property
    def key(self) -> ObjectKey:
        """The object's namespace and name; nothing is decoded where the cache knows them."""
        return _key(self.subject)

    @property
    def is_resync(self) -> bool:
        """Whether nothing changed: the cache tells of everything again now and then."""
        return self.metadata_old.resource_version == self.metadata.resource_version

    def __repr__(self) -> str:
        return f"UpdateEvent({_shown(self.subject_old)} -> {self.metadata.resource_version})"


Event = CreateEvent[T] | UpdateEvent[T] | DeleteEvent[T] | GenericEvent[T]


def verb_of(event: Event[T]) -> str:
    """Return what happened in one word, as the causes of a request name it."""
    match event:
        case CreateEvent():
            return "initial" if event.is_in_initial_list else "create"
        case UpdateEvent():
            return "resync" if event.is_resync else "update"
        case DeleteEvent():
            return "delete"
        case GenericEvent():
            return "generic"


def _key(subject: Stored[T] | T) -> ObjectKey:
    return subject.key if isinstance(subject, Stored) else subject.metadata.key


def _decoded(subject: Stored[T] | T) -> T:
    return subject.read() if isinstance(subject, Stored) else subject


def _shown(subject: Stored[T] | T) -> str:
    kind = subject.kind if isinstance(subject, Object) else repr(subject).removeprefix("Stored(").split(" ", 1)[0]
    return f"{kind} {subject.metadata.key} at {subject.metadata.resource_version or 'no version'}"
