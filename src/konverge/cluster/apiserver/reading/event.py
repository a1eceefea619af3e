"""Watch events as lines, or as frames of protobuf: one change in one form is encoded once, however many watch it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import msgspec

from konverge.cluster.apiserver.call import Call
from konverge.cluster.apiserver.context import Context
from konverge.cluster.apiserver.encodings import Encoded
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.negotiate import PROTOBUF
from konverge.cluster.apiserver.partial import partial_bytes
from konverge.cluster.apiserver.reading.decode import served_bytes, stored_object
from konverge.cluster.apiserver.reading.empty import empty_object
from konverge.cluster.apiserver.reading.selection import Selection
from konverge.cluster.apiserver.reply import included, rendered
from konverge.cluster.apiserver.storage import Change, Stored
from konverge.cluster.apiserver.strategy import JsonObject

INITIAL_EVENTS_END: Final = "k8s.io/initial-events-end"


class Lines:
    """Writes the events of one watch. The first line of a Table names the columns, later ones do not."""

    def __init__(self, context: Context, call: Call, chosen: Selection) -> None:
        self._context = context
        self._call = call
        self._chosen = chosen
        self._is_table = call.form.transform == "Table"
        self._with_columns = self._is_table
        self._included = included(call.request) if self._is_table else ""
        self._event = _frame if call.form.media_type == PROTOBUF else _line
        self._generation = -1
        self._encoded = self._shared()

    @property
    def asks_webhook(self) -> bool:
        """Whether objects have to be converted by a webhook."""
        return self._call.resource.strategy.asks_webhook

    async def prepare(self, batch: Sequence[Change]) -> None:
        """Let it convert what has changed."""
        await self._call.resource.strategy.prepare_reading([change.value for change in batch])

    def added(self, stored: Stored) -> bytes:
        """Write an object that was there before the watch."""
        return self._event("ADDED", self._form(stored.value))

    def changed(self, change: Change) -> bytes:
        """Write a change, as this watch's selectors show it; empty where they do not."""
        kind = self._kind(change)
        if not kind:
            return b""
        if kind == "DELETED" and not change.is_deleted:
            return self._line(change.revision, "DELETED", lambda: _last_seen(change))
        return self._line(change.revision, kind, lambda: change.value)

    def bookmark(self, revision: int, *, is_end_of_initial_events: bool = False) -> bytes:
        """Write that all changes up to a version were sent."""
        value = empty_object(self._call.resource)
        annotations = {INITIAL_EVENTS_END: "true"} if is_end_of_initial_events else {}
        if not self._call.form.transform:
            annotations |= value.get("metadata", {}).get("annotations", {})
        value["metadata"] = {"resourceVersion": str(revision), **({"annotations": annotations} if annotations else {})}
        return self._event("BOOKMARK", self._in_form(value, msgspec.json.encode(value)))

    def error(self, failure: Failure) -> bytes:
        """Write a failure that ends the watch."""
        return self._event("ERROR", msgspec.json.encode(failure.status()))

    def _kind(self, change: Change) -> str:
        """Say what a change is to those who see only what their selectors take."""
        chosen, resource, previous = self._chosen, self._call.resource, change.previous
        if not chosen:
            is_new, was_there = not change.is_deleted, previous is not None or change.is_deleted
        else:
            is_new = not change.is_deleted and chosen.takes(resource, change.value)
            was_there = previous is not None and chosen.takes(resource, previous.value)
        if is_new:
            return "MODIFIED" if was_there else "ADDED"
        return "DELETED" if was_there else ""

    def _line(self, revision: int, kind: str, value: Callable[[], bytes]) -> bytes:
        # What a Table says first, and of an object's age, is for one watch and one moment.
        if self._is_table:
            return self._event(kind, self._form(value()))
        return self._shared().line((revision, kind), lambda: self._event(kind, self._form(value())))

    def _shared(self) -> Encoded:
        """Return the lines of all who watch in this form; new ones when a definition has changed how objects read."""
        generation = self._context.resources.generation
        if generation != self._generation:
            resource, form = self._call.resource, self._call.form
            self._generation = generation
            key = (resource.group, resource.plural, resource.version, generation, form)
            self._encoded = self._context.encodings.of(key)
        return self._encoded

    def _form(self, value: bytes) -> bytes:
        resource = self._call.resource
        if self._is_table:
            return self._in_form(stored_object(resource, value), b"")
        return self._in_form({}, served_bytes(resource, value))

    def _in_form(self, value: JsonObject, encoded: bytes) -> bytes:
        form = self._call.form
        if form.transform == "PartialObjectMetadata":
            return partial_bytes(encoded, form.version)
        if not self._is_table:
            return encoded
        metadata = {"resourceVersion": value["metadata"]["resourceVersion"]}
        shown = rendered(self._call, [value], metadata=metadata, with_columns=self._with_columns)
        self._with_columns = False
        return msgspec.json.encode(shown)


def _frame(kind: str, value: bytes) -> bytes:
    # Loaded by the first such watch: most servers never see one.
    from konverge.cluster.apiserver.protobuf.answer import event_frame  # noqa: PLC0415

    return event_frame(kind, msgspec.json.decode(value, type=JsonObject))


def _line(kind: str, value: bytes) -> bytes:
    return b'{"type":"' + kind.encode() + b'","object":' + value + b"}\n"


def _last_seen(change: Change) -> bytes:
    """Return the object as the selector took it last, with the version at which it no longer does."""
    previous = change.previous
    if previous is None:
        raise ValueError(f"{change!r} has nothing that was seen before")
    value = msgspec.json.decode(previous.value, type=JsonObject)
    value["metadata"]["resourceVersion"] = str(change.revision)
    return msgspec.json.encode(value)
