from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

import pytest

from konverge.cluster.apiserver.storage import Change, Closed, Compacted, Stale, Storage, Stored
from konverge.testing import virtual_time

PODS = "/core/pods/"


def text(name: str) -> Callable[[int], bytes]:
    """Return what encodes a name."""
    return lambda revision: f"{name}@{revision}".encode()


async def create(storage: Storage, *names: str) -> list[Stored]:
    """Create objects at once."""
    return await asyncio.gather(*(storage.put(PODS + name, text(name), based_on=0) for name in names))


async def test_an_empty_storage_is_at_revision_one(storage: Storage) -> None:
    """As an empty etcd is: 0 has a meaning of its own in the API."""
    assert (storage.revision, storage.compacted, storage.get("/a/b/c")) == (1, 1, None)
    assert storage.range(PODS).items == []


async def test_a_write_is_given_its_revision_at_once_and_read_back(storage: Storage) -> None:
    """The bytes carry the revision that the storage shows."""
    [stored] = await create(storage, "a/x")
    assert stored == Stored(PODS + "a/x", b"a/x@2", 2)
    assert storage.get(PODS + "a/x") == storage.newest(PODS + "a/x") == stored
    assert storage.revision == 2


async def test_one_may_wait_for_the_write_of_another(storage: Storage) -> None:
    """`settled` ends when the write of a revision is durable, also for those who ask late."""
    write = storage.put(PODS + "x", text("one"), based_on=0)
    await storage.settled(2)
    assert storage.revision == 2
    assert (await write).revision == 2
    await storage.settled(2)


async def test_a_write_builds_on_writes_that_are_under_way(storage: Storage) -> None:
    """`newest` sees them and `Stale` is judged by them."""
    first = storage.put(PODS + "x", text("one"), based_on=0)
    newest = storage.newest(PODS + "x")
    assert newest is not None
    second = storage.put(PODS + "x", text("two"), based_on=newest.revision)
    third = storage.delete(PODS + "x", text("gone"), based_on=newest.revision + 1)
    assert storage.newest(PODS + "x") is None
    assert [each.value for each in await asyncio.gather(first, second, third)] == [b"one@2", b"two@3", b"gone@4"]
    assert storage.get(PODS + "x") is None


@pytest.mark.parametrize("based_on", [0, 1, 3, 99])
async def test_a_write_based_on_another_revision_is_stale_at_once(storage: Storage, based_on: int) -> None:
    """It uses up no revision and leaves nothing behind."""
    await create(storage, "x")
    with pytest.raises(Stale, match=f"based on revision {based_on}, and the newest is 2"):
        storage.put(PODS + "x", text("y"), based_on=based_on)
    with pytest.raises(Stale):
        storage.delete(PODS + "absent", text("y"), based_on=0)
    assert (await storage.put(PODS + "x", text("y"), based_on=2)).revision == 3


async def test_nothing_is_shown_before_it_is_durable(storage: Storage) -> None:
    """A durable storage shows a write neither to reads nor to watches until its commit is done."""
    subscription = storage.watch(PODS, since=1)
    done = asyncio.ensure_future(storage.put(PODS + "x", text("x"), based_on=0))
    if not done.done():
        assert (storage.get(PODS + "x"), storage.revision, storage.range(PODS).items) == (None, 1, [])
        assert subscription.revision == 1
    await done
    assert [change.revision for change in await subscription.next_batch()] == [2]


async def test_a_cancelled_wait_takes_nothing_back(storage: Storage) -> None:
    """The client went away, and its write is under way."""
    done = asyncio.ensure_future(storage.put(PODS + "x", text("x"), based_on=0))
    done.cancel()
    await create(storage, "y")
    assert storage.get(PODS + "x") is not None


async def test_pages_follow_the_order_of_keys(storage: Storage) -> None:
    """Bytes decide, as in etcd; what remains is counted."""
    names = ["b/z", "a-b/x", "a/x", "a/é", "a/z", "b/a"]
    await create(storage, *names)
    await storage.put("/apps/deployments/a/x", text("d"), based_on=0)
    expected = sorted((PODS + name for name in names), key=str.encode)
    assert [item.key for item in storage.range(PODS).items] == expected
    first = storage.range(PODS, limit=4)
    rest = storage.range(PODS, after=first.items[-1].key, limit=4)
    assert [item.key for item in [*first.items, *rest.items]] == expected
    assert (first.remaining, rest.remaining, first.revision) == (2, 0, storage.revision)
    assert [item.key for item in storage.range(PODS + "a/").items] == [PODS + "a/x", PODS + "a/z", PODS + "a/é"]
    assert len(storage.range("/").items) == 7


async def test_a_list_of_the_past_is_what_stood_then(storage: Storage) -> None:
    """Created since: absent; changed since: as it was; deleted since: present."""
    old = await create(storage, "a", "b", "c")
    then = storage.revision
    await storage.put(PODS + "a", text("new"), based_on=old[0].revision)
    await storage.delete(PODS + "b", text("gone"), based_on=old[1].revision)
    await create(storage, "0", "d")
    page = await storage.range_at(PODS, then)
    assert (list(page.items), page.revision, page.remaining) == (old, then, 0)
    page = await storage.range_at(PODS, then, after=old[0].key, limit=1)
    assert (list(page.items), page.remaining) == ([old[1]], 1)


async def test_a_watch_hands_out_the_past_and_then_what_comes(storage: Storage) -> None:
    """Each change once, with what it replaced."""
    [first] = await create(storage, "a")
    with storage.watch(PODS, since=1) as subscription:
        await storage.put("/apps/deployments/x", text("none of ours"), based_on=0)
        second = await storage.put(PODS + "a", text("b"), based_on=first.revision)
        last = await storage.delete(PODS + "a", text("c"), based_on=second.revision)
        found: list[Change] = []
        while len(found) < 3:
            found += await subscription.next_batch()
        assert found == [
            Change(2, PODS + "a", b"a@2", False, None),
            Change(4, PODS + "a", b"b@4", False, first),
            Change(5, PODS + "a", b"c@5", True, second),
        ]
        assert last == Stored(PODS + "a", b"c@5", 5)
        assert subscription.revision == 5


async def test_a_watch_knows_up_to_where_it_has_seen_everything(storage: Storage) -> None:
    """A bookmark may say so although nothing of its own happened."""
    with storage.watch(PODS, since=1) as subscription:
        await storage.put("/apps/deployments/x", text("x"), based_on=0)
        assert subscription.revision == 2
        await create(storage, "a")
        assert subscription.revision == 2
        await subscription.next_batch()
        assert subscription.revision == 3


async def test_a_watch_from_the_future_starts_there(storage: Storage) -> None:
    """Changes up to its revision are not handed out."""
    with storage.watch(PODS, since=3) as subscription:
        await create(storage, "a", "b", "c")
        assert [change.revision for change in await subscription.next_batch()] == [4]


async def test_a_reader_that_falls_behind_its_buffer_misses_nothing(storage: Storage) -> None:
    """It reads the journal, in the same order."""
    with storage.watch(PODS, since=1) as subscription:
        await create(storage, *(f"p{number}" for number in range(5000)))
        found: list[int] = []
        while len(found) < 5000:
            found += [change.revision for change in await subscription.next_batch()]
        assert found == list(range(2, 5002))
        await create(storage, "last")
        assert [change.key for change in await subscription.next_batch()] == [PODS + "last"]


async def test_closing_ends_writes_watches_and_reads(storage: Storage) -> None:
    """Writes under way become durable, readers are told, and what comes later is refused."""
    subscription = storage.watch(PODS, since=1)
    done = asyncio.ensure_future(storage.put("/apps/x/y", text("x"), based_on=0))
    waiting = asyncio.ensure_future(subscription.next_batch())
    await asyncio.sleep(0)
    await storage.close()
    assert (await done).revision == 2
    for attempt in (waiting, storage.range_at(PODS, 1), subscription.next_batch()):
        with pytest.raises(Closed):
            await attempt
    with pytest.raises(Closed):
        storage.put(PODS + "x", text("x"), based_on=0)
    await storage.close()


async def test_a_repr_shows_no_contents(storage: Storage) -> None:
    """The bytes may be a Secret's."""
    [stored] = await create(storage, "x")
    await storage.put(PODS + "x", text("secret"), based_on=2)
    with storage.watch(PODS, since=2) as subscription:
        [change] = await subscription.next_batch()
    assert repr(change) == "Change(3, '/core/pods/x', 8 bytes, previous=Stored('/core/pods/x', 3 bytes, revision=2))"
    assert "x@" not in repr(stored)


def test_history_is_kept_for_its_time_and_no_longer() -> None:
    """Five minutes after a change, a watch from before it is refused; a minute after it, it is served."""

    async def main() -> None:
        storage = Storage.in_memory()
        await create(storage, "a", "b")
        slow = storage.watch(PODS, since=1)
        await asyncio.sleep(290)
        await create(storage, "c")
        assert storage.compacted == 1
        await asyncio.sleep(20)
        await create(storage, "d")
        assert storage.compacted == 2
        with pytest.raises(Compacted):
            storage.watch(PODS, since=1)
        with pytest.raises(Compacted):
            await storage.range_at(PODS, 1)
        assert len((await storage.range_at(PODS, 3)).items) == 2
        with pytest.raises(Compacted, match="the oldest is 2"):
            await slow.next_batch()
        await storage.close()

    virtual_time.run(main())


@pytest.mark.parametrize("mode", ["memory", "durable"])
def test_everything_after_the_compacted_revision_is_kept(mode: str, tmp_path: Path) -> None:
    """A watch from just there has no gap and knows what each change replaced; a list at it is whole."""

    async def main() -> None:
        storage = Storage.in_memory() if mode == "memory" else await Storage.open(tmp_path)
        old = await create(storage, "a", "b")
        await asyncio.sleep(301)
        new = await storage.put(PODS + "a", text("new"), based_on=old[0].revision)
        gone = await storage.delete(PODS + "b", text("gone"), based_on=old[1].revision)
        await asyncio.sleep(0)
        await create(storage, "c")
        compacted = storage.compacted
        assert compacted in {2, 3}  # one of the two old ones, as the commits were grouped
        with storage.watch(PODS, since=compacted) as subscription:
            found: list[Change] = []
            while subscription.revision < storage.revision:
                found += await subscription.next_batch()
        assert found[:-1] == [
            *([Change(3, PODS + "b", old[1].value, False, None)] if compacted < old[1].revision else []),
            Change(4, PODS + "a", new.value, False, old[0]),
            Change(5, PODS + "b", gone.value, True, old[1]),
        ]
        assert list((await storage.range_at(PODS, 3)).items) == old
        await storage.close()

    virtual_time.run(main())
