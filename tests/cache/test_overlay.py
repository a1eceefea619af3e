"""The overlay against a model of a server whose watch lags behind."""

from __future__ import annotations

import json

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from konverge.api.field_selector import FieldSelector
from konverge.api.form import typed
from konverge.api.kind import ObjectKey
from konverge.api.label_selector import LabelSelector
from konverge.cache.feed import Feed, Selection
from konverge.cache.overlay import Overlay
from konverge.cache.store import Store
from konverge.cache.stored import Entry, Stored
from konverge.models.core_v1 import ConfigMap

A = ObjectKey("ns", "a")


def entry(version: int, uid: str = "u") -> Entry:
    """Return an entry whose bytes tell its version."""
    return Entry(str(version).encode(), uid, version)


def stored(held: Entry | None) -> Store:
    """Return a store that has one entry, or none."""
    store = Store()
    if held is not None:
        store.put(A, held)
    return store


class Owner:
    """Is told, and keeps nothing."""

    def on_add(self, obj: Stored[ConfigMap], *, initial: bool) -> None:
        """Hear of an addition."""

    def on_update(self, old: Stored[ConfigMap], new: Stored[ConfigMap]) -> None:
        """Hear of a change."""

    def on_delete(self, obj: Stored[ConfigMap], *, known: bool) -> None:
        """Hear of a deletion."""

    def feed_synced(self) -> None:
        """Hear of the first list."""

    def feed_waits(self) -> None:
        """Hear of a problem."""


def test_a_write_is_seen_until_the_watch_has_passed_it() -> None:
    """The answer to our write is on top of the store, and leaves when the watch comes to its version."""
    overlay = Overlay()
    overlay.put(A, entry(5))
    assert overlay.visible(A, entry(3)) == entry(5)
    overlay.passed(4)
    assert overlay.visible(A, entry(3)) == entry(5)
    overlay.passed(5)
    assert overlay.visible(A, entry(5)) == entry(5)
    assert len(overlay) == 0


def test_a_deletion_hides_the_name_until_the_watch_shows_that_uid_deleted() -> None:
    """Whatever the watch shows before is older than our delete; what it shows after is another object."""
    overlay = Overlay()
    overlay.bury(A, "ours", seen=3)
    assert overlay.visible(A, entry(3, "ours")) is None
    overlay.shown_deleted(A, "older")
    assert overlay.visible(A, entry(3, "ours")) is None
    overlay.shown_deleted(A, "ours")
    assert overlay.visible(A, entry(9, "newer")) == entry(9, "newer")
    assert len(overlay) == 0


def test_a_deletion_that_the_watch_showed_first_leaves_nothing_behind() -> None:
    """The DELETED event may be read before the answer to the delete itself."""
    overlay = Overlay()
    overlay.shown_deleted(A, "u")
    overlay.bury(A, "u", seen=3)
    assert len(overlay) == 0


def test_an_object_that_came_back_into_the_selector_can_be_deleted() -> None:
    """DELETED also means that an object left the selector; when it is shown again, it counts again."""
    overlay = Overlay()
    overlay.shown_deleted(A, "u")
    overlay.shown("u")
    overlay.bury(A, "u", seen=3)
    assert overlay.visible(A, entry(9)) is None


def test_answers_in_the_wrong_order_do_not_go_back() -> None:
    """The newer answer stays, whichever is read last; and a deleted object does not come back."""
    overlay = Overlay()
    overlay.put(A, entry(7))
    overlay.put(A, entry(6))
    assert overlay.visible(A, None) == entry(7)
    overlay.bury(A, "u", seen=3)
    overlay.put(A, entry(8))
    assert overlay.visible(A, entry(3)) is None


def test_a_list_that_was_sent_after_the_write_ends_it_whatever_its_version() -> None:
    """A server that comes back with older data leaves no wrong entry behind."""
    overlay = Overlay()
    overlay.put(A, entry(1000))
    mark = overlay.mark()
    overlay.put(ObjectKey("ns", "later"), entry(1001))
    overlay.listed(mark, Store(), 500)
    assert [key.name for key, _ in overlay.items()] == ["later"]


def test_a_list_that_lacks_a_deleted_object_ends_its_tombstone() -> None:
    """A list may be sent before our delete and read after it: no event will tell, so the list must."""
    overlay = Overlay()
    mark = overlay.mark()
    overlay.bury(A, "u", seen=7)
    overlay.listed(mark, Store(), 6)
    assert overlay.visible(A, entry(7)) is None  # older than the object: its events are still to come
    overlay.listed(mark, stored(entry(7)), 8)
    assert overlay.visible(A, entry(7)) is None  # older than our delete
    overlay.listed(mark, stored(entry(10, "newer")), 10)
    assert overlay.visible(A, entry(10, "newer")) == entry(10, "newer")
    assert len(overlay) == 0


def test_an_object_that_our_own_write_brought_back_into_the_selector_can_be_deleted() -> None:
    """Whether the watch shows that it had left before or after the answer to that write is read."""
    overlay = Overlay()
    overlay.shown_deleted(A, "u")
    overlay.put(A, entry(9))
    overlay.bury(A, "u", seen=9)
    assert overlay.visible(A, None) is None
    overlay = Overlay()
    overlay.put(A, entry(9))
    overlay.shown_deleted(A, "u")
    overlay.bury(A, "u", seen=9)
    assert overlay.visible(A, None) is None


def test_an_object_that_a_list_shows_again_can_be_deleted() -> None:
    """What had left the selector before a list, and is in it, counts again."""
    overlay = Overlay()
    overlay.shown_deleted(A, "u")
    overlay.listed(overlay.mark(), stored(entry(9)), 9)
    overlay.bury(A, "u", seen=9)
    assert overlay.visible(A, entry(9)) is None


def test_a_deletion_of_what_was_not_seen_hides_that_object_alone() -> None:
    """The name stays free for another object, and what never comes is forgotten with the next list."""
    overlay = Overlay()
    overlay.bury_unseen("u")
    assert not overlay.idle
    assert overlay.visible(A, entry(5)) is None
    assert overlay.visible(A, entry(5, "newer")) == entry(5, "newer")
    overlay.put(A, entry(6))  # an answer that is late
    assert overlay.visible(A, None) is None
    overlay.shown_deleted(A, "u")
    assert overlay.idle
    overlay.bury_unseen("u")  # shown already
    assert overlay.idle
    overlay.bury_unseen("outside of the selector")
    overlay.listed(overlay.mark(), Store(), 9)
    assert overlay.idle


def test_deletions_that_are_never_shown_do_not_pile_up() -> None:
    """There is room for some thousands."""
    overlay = Overlay()
    for number in range(10_000):
        overlay.bury_unseen(str(number))
    assert len(overlay._unseen) == 4096


def test_a_deletion_that_is_not_sure_ends_where_the_object_lingers() -> None:
    """A finalizer may have come in between: what holds the object must be seen by whoever lets it go."""
    overlay = Overlay()
    overlay.bury(A, "u", seen=3, sure=False)
    overlay.shown("u")
    assert overlay.visible(A, entry(4)) is None
    overlay.shown_ending(A, "u", version=3)
    assert overlay.visible(A, entry(4)) is None
    overlay.shown_ending(A, "u", version=5)
    assert overlay.visible(A, entry(5)) == entry(5)
    mark = overlay.mark()
    overlay.bury(A, "u", seen=5, sure=False)
    overlay.listed(mark, stored(entry(5)), 6)
    assert overlay.visible(A, entry(5)) is None
    overlay.listed(mark, stored(entry(7)), 7)
    assert overlay.visible(A, entry(7)) == entry(7)
    overlay.bury(A, "u", seen=7, sure=False)
    overlay.put(A, entry(8))  # who can be written to is there
    assert overlay.visible(A, entry(7)) == entry(8)


def test_what_we_wrote_is_selected_before_it_is_transformed() -> None:
    """A transform may leave out the very field that the selector asks for."""

    def without_data(obj: ConfigMap) -> ConfigMap:
        obj.data = None
        return obj

    selection = Selection[ConfigMap](fields=FieldSelector.parse("data.tier=web"), transform=without_data)
    target = Feed(typed(ConfigMap), selection, Owner())
    target.list_started()
    target.list_finished("1")
    metadata = {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": "2"}
    target.wrote(json.dumps({"metadata": metadata, "data": {"tier": "web"}}).encode())
    shown = target.get(A)
    assert shown is not None
    assert b"tier" not in shown.data


def test_nothing_is_kept_of_what_has_left() -> None:
    """Objects that we take out of a selector, again and again, leave no trace."""
    target = Feed(typed(ConfigMap), Selection(labels=LabelSelector.parse("tier=web")), Owner())
    target.list_started()
    target.list_finished("1")
    for version in range(2, 1000, 2):
        metadata = {"name": "a", "namespace": "ns", "uid": "u", "resourceVersion": str(version)}
        target.wrote(json.dumps({"metadata": metadata}).encode())
        target.deleted(json.dumps({"metadata": metadata}).encode())
    assert len(target.overlay) == 0
    assert target.overlay._by_version == []


class LaggingServer(RuleBasedStateMachine):
    """Writes by us and by others, a watch that shows them later, relists: reads never go behind our own writes."""

    def __init__(self) -> None:
        super().__init__()
        self.version = 0
        self.uid = 0
        self.live: Entry | None = None
        self.history: list[tuple[bool, Entry]] = []  # what the watch has still to show: (deleted, entry)
        self.store: Entry | None = None
        self.seen = 0  # the newest version we were told of, by an answer or by the watch
        self.buried: set[str] = set()  # uids that we deleted without having seen them
        self.ending: set[int] = set()  # versions that have a deletion timestamp
        self.overlay = Overlay()
        self.mark: int | None = None  # of a list that is under way
        self.snapshot: tuple[Entry | None, int] | None = None  # what that list will bring, once the server has read it

    def _write(self) -> Entry:
        self.version += 1
        if self.live is None:
            self.uid += 1
        if self.live is not None and self.live.version in self.ending:
            self.ending.add(self.version)
        self.live = entry(self.version, str(self.uid))
        self.history.append((False, self.live))
        return self.live

    @rule()
    def we_write(self) -> None:
        """Our own write, whose answer is read at once."""
        written = self._write()
        self.overlay.put(A, written)
        self.seen = written.version

    @rule()
    def someone_writes(self) -> None:
        """Another client's write."""
        self._write()

    def _delete(self) -> Entry | None:
        gone, self.live = self.live, None
        if gone is not None:
            self.version += 1
            self.history.append((True, entry(self.version, gone.uid)))
        return gone

    @rule()
    def we_delete(self) -> None:
        """Our own delete of an object we see: the answer has a uid and no version."""
        shown = self.overlay.visible(A, self.store)
        if shown is None or self.live is None or shown.uid != self.live.uid:
            return
        self._delete()
        self.overlay.bury(A, shown.uid, seen=shown.version)
        self.seen = self.version

    @rule()
    def we_delete_what_we_do_not_see(self) -> None:
        """Our own delete by name, of an object that the watch has not shown."""
        shown = self.overlay.visible(A, self.store)
        if self.live is None or (shown is not None and shown.uid == self.live.uid):
            return
        gone = self._delete()
        assert gone is not None
        self.overlay.bury_unseen(gone.uid)
        self.buried.add(gone.uid)

    @precondition(lambda self: self.live is not None and self.mark is None)
    @rule(held=st.booleans())
    def we_delete_many(self, held: bool) -> None:
        """Our own delete of many, where someone may have put a finalizer on the object that we saw."""
        shown = self.overlay.visible(A, self.store)
        if self.live is None or shown is None or shown.uid != self.live.uid:
            return
        self.overlay.bury(A, shown.uid, seen=self.live.version, sure=False)
        if held:
            self._write()
            self.ending.add(self.version)
        else:
            self._delete()

    @rule()
    def someone_deletes(self) -> None:
        """Another client's delete."""
        self._delete()

    @precondition(lambda self: self.mark is None)
    @rule(count=st.integers(1, 3))
    def the_watch_shows(self, count: int) -> None:
        """The watch brings the next events."""
        for deleted, shown in self.history[:count]:
            if deleted:
                self.overlay.shown_deleted(A, shown.uid)
                self.store = None
            else:
                self.overlay.shown(shown.uid)
                if shown.version in self.ending:
                    self.overlay.shown_ending(A, shown.uid, version=shown.version)
                self.store = shown
            self.overlay.passed(shown.version)
            self.seen = max(self.seen, shown.version)
        del self.history[:count]

    @precondition(lambda self: self.mark is None)
    @rule()
    def a_list_is_sent(self) -> None:
        """A list begins; the watch is over meanwhile."""
        self.mark = self.overlay.mark()

    @precondition(lambda self: self.mark is not None and self.snapshot is None)
    @rule()
    def the_server_reads(self) -> None:
        """What the list will bring is as of now; what happens later is the watch's to show."""
        self.snapshot = (self.live, self.version)
        self.history = []

    @precondition(lambda self: self.snapshot is not None)
    @rule()
    def the_list_arrives(self) -> None:
        """The list takes the place of the store, and the watch goes on from its version."""
        assert self.snapshot is not None
        assert self.mark is not None
        self.store, version = self.snapshot
        self.overlay.listed(self.mark, stored(self.store), version)
        self.overlay.passed(version)
        self.seen = max(self.seen, version)
        self.mark = self.snapshot = None

    @precondition(lambda self: self.mark is None)
    @rule(back=st.integers(0, 3))
    def relist(self, back: int) -> None:
        """A consistent list, at times from a server that has lost its latest writes."""
        mark = self.overlay.mark()
        if back and self.live is not None:
            self.version = max(self.version - back, 1)
            self.live = entry(self.version, self.live.uid)
        self.overlay.listed(mark, stored(self.live), self.version)
        self.store, self.history = self.live, []
        self.overlay.passed(self.version)
        self.seen = self.version

    @invariant()
    def reads_are_never_behind_our_own_writes(self) -> None:
        """What is visible is at least as new as everything we were told of; with nothing to come, it is the truth."""
        shown = self.overlay.visible(A, self.store)
        if shown is not None:
            assert shown.version >= self.seen
            assert shown.uid not in self.buried
        if self._caught_up():
            assert shown == self.live

    def _caught_up(self) -> bool:
        return not self.history and self.mark is None

    @invariant()
    def nothing_stays_without_a_reason(self) -> None:
        """When the watch has shown everything, nothing lies on top."""
        if self._caught_up():
            assert len(self.overlay) == 0


TestLaggingServer = LaggingServer.TestCase
