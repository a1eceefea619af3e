"""Feed: the objects of one watcher as events show them and as readers see them.

The watch fills the store, and only the watch makes events. What we wrote ourselves lies on top, in the overlay, for
readers alone, until the watch has caught up.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Generic, Protocol

import msgspec
from msgspec import Raw

from konverge import log
from konverge.api.field_selector import FieldSelector
from konverge.api.form import Form, T
from konverge.api.kind import ObjectKey
from konverge.api.label_selector import LabelSelector
from konverge.api.object import write
from konverge.cache.field_path import field_value
from konverge.cache.index import Index
from konverge.cache.machine import State, Waiting
from konverge.cache.overlay import Overlay
from konverge.cache.store import Store
from konverge.cache.stored import Entry, Header, Stored, TooDeep, head_of, parse, read_entry, version_of

_LOG = log.get("cache")

Transform = Callable[[T], T]
"""Changes an object before it is stored, usually by leaving out what no one reads."""


class Selection(msgspec.Struct, Generic[T], frozen=True, kw_only=True):
    """Which objects of a kind are held, and in which shape."""

    namespaces: tuple[str, ...] = ()  # none: all of them
    labels: LabelSelector = msgspec.field(default_factory=LabelSelector)
    fields: FieldSelector = msgspec.field(default_factory=FieldSelector)
    transform: Transform[T] | None = None
    keep_managed_fields: bool = False

    def admits(self, header: Header, entry: Entry) -> bool:
        """Whether an object that we wrote is one the watch would show."""
        if not self.labels.matches(header.labels):
            return False
        return not self.fields or self.fields.matches(lambda path: field_value(entry.data, path))


class Listener(Protocol[T]):
    """Told of every change of the store, in the order of the watch."""

    def on_add(self, obj: Stored[T], *, initial: bool) -> None:
        """An object is there; `initial` if it was there before we looked."""
        ...

    def on_update(self, old: Stored[T], new: Stored[T]) -> None:
        """An object changed."""
        ...

    def on_delete(self, obj: Stored[T], *, known: bool) -> None:
        """An object is gone; `known` is False where only a relist told, so that this is the last state we saw."""
        ...


class Owner(Listener[T], Protocol[T]):
    """What a feed belongs to."""

    def feed_synced(self) -> None:
        """A feed has its first list."""
        ...

    def feed_waits(self) -> None:
        """A feed has met a problem, and waits."""
        ...


class Feed(Generic[T]):
    """Takes in what a watcher brings, and answers reads."""

    def __init__(self, form: Form[T], selection: Selection[T], owner: Owner[T], *, namespace: str = "") -> None:
        self._form = form
        self._head = head_of(form)
        self._selection = selection
        self._owner = owner
        self.namespace = namespace
        self.store = Store()
        self.overlay = Overlay()
        self.indexes: dict[str, Index] = {}
        self.state: State | None = None
        self.synced = False
        self.version = 0  # the watch has shown everything up to here
        self.relists = 0
        self.stalls = 0
        self.unreadable = 0  # objects left out because they cannot be read
        self.last_event: float | None = None  # the loop's time when the watch last brought something
        self._building = Store()
        self._mark = 0

    # --- what the watcher brings ---

    def state_changed(self, state: State) -> None:
        """Note what the watcher is doing."""
        self.state = state
        if isinstance(state, Waiting):
            self.stalls += state.problem.reason == "stalled"
            self._owner.feed_waits()

    def heard(self, moment: float) -> None:
        """Note when the watch last brought something."""
        self.last_event = moment

    def list_started(self) -> None:
        """Begin a new store aside; what we wrote before now is in the list."""
        self._building = Store()
        self._mark = self.overlay.mark()

    def listed(self, data: bytes | Raw) -> None:
        """Put an object of the list aside."""
        try:
            header, entry = self._parse(data)
        except TooDeep as error:
            self._leave_out(error)
            return
        self._building.put(header.key, entry)

    def unlisted(self, data: bytes) -> None:
        """Take an object back out of the list."""
        self._building.remove(self._parse(data)[0].key)

    def list_finished(self, version: str) -> None:
        """Let the list take the place of the store, in one step, and tell what differs."""
        first, self.synced = not self.synced, True
        self.relists += not first
        old, self.store, self._building = self.store, self._building, Store()
        self.version = version_of(version)
        self.overlay.listed(self._mark, self.store, self.version)
        self.overlay.passed(self.version)
        for index in self.indexes.values():
            index.rebuild(self.store.items())
        self._tell_differences(old, initial=first)
        if first:
            self._owner.feed_synced()

    def _tell_differences(self, old: Store, *, initial: bool) -> None:
        if not old.count:
            for key, entry in self.store.items():
                self._owner.on_add(Stored(entry, self._form, key=key), initial=initial)
            return
        for key, entry in self.store.items():
            self._tell(old.remove(key), Stored(entry, self._form, key=key), initial=initial)
        for key, entry in old.items():
            self._owner.on_delete(Stored(entry, self._form, key=key), known=False)

    def _tell(self, old: Entry | None, new: Stored[T], *, initial: bool = False) -> None:
        """Tell of an object that is there now; a new uid under the old name is another object."""
        if old is None:
            self._owner.on_add(new, initial=initial)
        elif old.uid != new.entry.uid:
            self._owner.on_delete(Stored(old, self._form), known=False)
            self._owner.on_add(new, initial=False)
        elif old.version != new.entry.version or not old.version:
            self._owner.on_update(Stored(old, self._form), new)

    def changed(self, data: bytes) -> str:
        """Take in an object that was added or modified."""
        try:
            header, entry = self._parse(data)
        except TooDeep as error:
            self._leave_out(error)
            return ""
        key = header.key
        old = self.store.get(key)
        self._reached(entry.version)
        self.overlay.shown(entry.uid)
        if header.deletion_timestamp is not None:
            self.overlay.shown_ending(key, entry.uid, version=entry.version)
        if old is None or old.uid != entry.uid or not entry.version or entry.version > old.version:
            self.store.put(key, entry)
            for index in self.indexes.values():
                index.put(key, entry)
            self._tell(old, Stored(entry, self._form, header))
        return header.resource_version or ""

    def deleted(self, data: bytes) -> str:
        """Take an object out that was deleted, or that no longer fits the selector."""
        header, entry = self._parse(data)
        key = header.key
        self._reached(entry.version)
        self.overlay.shown_deleted(key, entry.uid)
        if self.store.remove(key) is not None:
            for index in self.indexes.values():
                index.discard(key)
            self._owner.on_delete(Stored(entry, self._form, header), known=True)
        return header.resource_version or ""

    def reached(self, version: str) -> None:
        """Note that everything up to this version has been shown."""
        self._reached(version_of(version))

    def _reached(self, version: int) -> None:
        self.version = max(self.version, version)
        if len(self.overlay):
            self.overlay.passed(version)

    def _leave_out(self, error: TooDeep) -> None:
        """Go on without an object that cannot be read: one of them must not take all others from everyone."""
        self.unreadable += 1
        _LOG.error("an object is left out of the cache", error, kind=self._form.gvk.kind)

    def _parse(self, data: bytes | Raw) -> tuple[Header, Entry]:
        header, entry = self._read(data)
        return header, self._transformed(entry, header)

    def _read(self, data: bytes | Raw) -> tuple[Header, Entry]:
        return parse(data, head=self._head, keep_managed_fields=self._selection.keep_managed_fields)

    def _transformed(self, entry: Entry, header: Header) -> Entry:
        """Apply the author's transform; where it fails, hold the object as it came, and say so."""
        transform = self._selection.transform
        if transform is None:
            return entry
        try:
            return Entry(write(transform(read_entry(entry, self._form))), entry.uid, entry.version)
        except Exception as error:  # noqa: BLE001 - the author's code; the cache must go on
            _LOG.error("a transform failed", error, kind=self._form.gvk.kind, object=str(header.key))
            return entry

    # --- what we wrote ourselves ---

    def wrote(self, data: bytes) -> None:
        """Let readers see the answer to our own write, until the watch shows it or something newer."""
        header, entry = self._read(data)
        key = header.key
        if entry.version <= self.version or not self._covers(key):
            return
        if self._selection.admits(header, entry):  # as the server does, before the transform
            self.overlay.put(key, self._transformed(entry, header))
        else:
            self.overlay.hide(key, entry.uid, version=entry.version)

    def deleted_ourselves(self, key: ObjectKey, uid: str, *, sure: bool = True) -> None:
        """Let readers no longer see an object that our own delete has removed; not `sure`: unless it lingers."""
        there = self.get(key)
        if there is not None and there.uid == uid:
            self.overlay.bury(key, uid, seen=there.version, sure=sure)
        elif uid and sure and self._covers(key):
            self.overlay.bury_unseen(uid)

    def _covers(self, key: ObjectKey) -> bool:
        return not self.namespace or key.namespace == self.namespace

    # --- what readers see ---

    def get(self, key: ObjectKey) -> Entry | None:
        """Return one object as readers see it."""
        stored = self.store.get(key)
        return stored if self.overlay.idle else self.overlay.visible(key, stored)

    def items(self, namespace: str = "") -> Iterator[tuple[ObjectKey, Entry]]:
        """Yield the objects of a namespace, or of all, as readers see them."""
        if self.overlay.idle:
            yield from self.store.items(namespace)
            return
        for key, entry in self.store.items(namespace):
            shown = self.overlay.visible(key, entry)
            if shown is not None:
                yield key, shown
        for key, there in self.overlay.items():
            ours = not namespace or key.namespace == namespace
            if ours and there.entry is not None and self.store.get(key) is None:
                yield key, there.entry

    def found(self, name: str, value: str) -> Iterator[tuple[ObjectKey, Entry]]:
        """Yield the objects that an index finds by a value, as readers see them."""
        index = self.indexes[name]
        on_top = dict(self.overlay.items())
        for key in index.keys(value):
            entry = None if key in on_top else self.get(key)
            if entry is not None:
                yield key, entry
        for key in on_top:
            shown = self.get(key)
            if shown is not None and value in index.values_of(key, shown):
                yield key, shown
