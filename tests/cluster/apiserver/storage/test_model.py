"""The storage against a model that keeps every state: random writes, looks at the past, waits and reopenings."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from konverge.cluster.apiserver.storage import Change, Compacted, Stale, Storage, Stored, Subscription
from konverge.testing.virtual_time import VirtualTimeLoop

KEYS = ["/g/r/a/1", "/g/r/a/2", "/g/r/b/1", "/g/s/a/1"]
PREFIXES = ["/", "/g/r/", "/g/r/a/", "/g/s/", "/g/t/"]


class Model:
    """Every change ever made; the state at a revision is found by going through them."""

    def __init__(self) -> None:
        self.changes: list[Change] = []

    def at(self, revision: int) -> dict[str, Stored]:
        """Return the objects at a revision."""
        found: dict[str, Stored] = {}
        for change in self.changes:
            if change.revision <= revision:
                found.pop(change.key, None)
                if not change.is_deleted:
                    found[change.key] = change.stored()
        return dict(sorted(found.items()))

    def newest(self, key: str) -> Stored | None:
        """Return an object after the last change to it."""
        return self.at(1 << 60).get(key)

    @property
    def last(self) -> int:
        """The last revision."""
        return self.changes[-1].revision if self.changes else 1


class StorageMachine(RuleBasedStateMachine):
    """Runs on virtual time, so that five minutes are free and a run can be repeated."""

    is_durable = False

    @initialize()
    def start(self) -> None:
        """Open an empty storage."""
        self.runner = asyncio.Runner(loop_factory=VirtualTimeLoop)
        self.folder = tempfile.TemporaryDirectory()
        self.model = Model()
        self.waits: list[asyncio.Future[Stored]] = []
        self.watches: list[tuple[Subscription, list[Change], int]] = []
        self.storage = self.runner.run(self._open())

    async def _open(self) -> Storage:
        return await Storage.open(Path(self.folder.name)) if self.is_durable else Storage.in_memory()

    async def _write(self, key: str, value: bytes | None, based_on: int) -> None:
        previous = self.model.newest(key)
        given: list[int] = []

        def encode(revision: int) -> bytes:
            given.append(revision)
            return (value or b"") + str(revision).encode()

        write = self.storage.delete if value is None else self.storage.put
        self.waits.append(asyncio.ensure_future(write(key, encode, based_on=based_on)))
        assert given[0] > self.model.last
        self.model.changes.append(Change(given[0], key, (value or b"") + b"%d" % given[0], value is None, previous))

    @rule(key=st.sampled_from(KEYS), value=st.binary(max_size=5))
    def put(self, key: str, value: bytes) -> None:
        """Create or update, without waiting."""
        previous = self.model.newest(key)
        self.runner.run(self._write(key, value, previous.revision if previous else 0))

    @rule(key=st.sampled_from(KEYS))
    def delete(self, key: str) -> None:
        """Delete, without waiting."""
        previous = self.model.newest(key)
        if previous is not None:
            self.runner.run(self._write(key, None, previous.revision))

    @rule(key=st.sampled_from(KEYS), wrong=st.integers(1, 5))
    def write_on_something_else(self, key: str, wrong: int) -> None:
        """Be refused."""
        previous = self.model.newest(key)

        async def attempt() -> None:
            with pytest.raises(Stale):
                self.storage.put(key, lambda _: b"", based_on=(previous.revision if previous else 0) + wrong)

        self.runner.run(attempt())

    @rule()
    def wait_for_writes(self) -> None:
        """Wait until all is durable."""

        async def wait() -> None:
            await asyncio.gather(*self.waits)

        self.runner.run(wait())
        self.waits.clear()
        assert self.storage.revision == self.model.last

    @rule(seconds=st.sampled_from([1, 100, 400]))
    def pass_time(self, seconds: int) -> None:
        """Let history grow old."""
        self.runner.run(asyncio.sleep(seconds))

    @rule(
        prefix=st.sampled_from(PREFIXES),
        back=st.none() | st.integers(0, 5),
        limit=st.integers(0, 3),
        after=st.sampled_from(["", *KEYS]),
    )
    def look_at_the_past(self, prefix: str, back: int | None, limit: int, after: str) -> None:
        """List at a revision."""

        async def look() -> None:
            revision = self.storage.compacted if back is None else max(self.storage.revision - back, 1)
            try:
                page = await self.storage.range_at(prefix, revision, after=after, limit=limit)
            except Compacted:
                assert revision < self.storage.compacted
                return
            then = self.model.at(revision)
            rest = [stored for key, stored in then.items() if key.startswith(prefix) and key > after]
            assert list(page.items) == (rest[:limit] if limit else rest)
            assert (page.revision, page.remaining) == (revision, len(rest) - len(page.items))

        self.runner.run(look())

    @rule(prefix=st.sampled_from(PREFIXES), back=st.none() | st.integers(0, 8))
    def watch(self, prefix: str, back: int | None) -> None:
        """Start a watch, from the past or from now."""
        since = self.storage.compacted if back is None else max(self.storage.revision - back, 1)
        if since < self.storage.compacted:
            with pytest.raises(Compacted):
                self.storage.watch(prefix, since=since)
            return
        self.watches.append((self.storage.watch(prefix, since=since), [], since))

    @rule(choice=st.integers(0, 9))
    def read_a_watch(self, choice: int) -> None:
        """Read what a watch has, to its end."""
        if not self.watches:
            return  # no precondition: how far a thread has come may not decide what Hypothesis tries
        chosen = choice % len(self.watches)
        subscription, seen, since = self.watches[chosen]

        async def read() -> None:
            while True:
                async with asyncio.timeout(1):
                    seen.extend(await subscription.next_batch())

        try:
            self.runner.run(read())
        except TimeoutError:
            assert subscription.revision == self.storage.revision
        except Compacted:
            assert subscription.revision < self.storage.compacted
            self.watches.pop(chosen)
        durable = [change for change in self.model.changes if since < change.revision <= subscription.revision]
        assert seen == [change for change in durable if change.key.startswith(subscription.prefix)]

    @precondition(lambda self: self.is_durable)
    @rule()
    def reopen(self) -> None:
        """Close the folder and open it again."""
        self.runner.run(self.storage.close())
        revision, compacted = self.storage.revision, self.storage.compacted
        assert revision == self.model.last
        self.waits.clear()
        self.watches.clear()
        self.storage = self.runner.run(self._open())
        assert (self.storage.revision, self.storage.compacted) == (revision, compacted)

    @invariant()
    def shows_one_revision(self) -> None:
        """Whatever is shown is the state at one revision."""
        if not hasattr(self, "storage"):
            return
        assert list(self.storage.range("/").items) == list(self.model.at(self.storage.revision).values())
        for key in KEYS:
            assert self.storage.newest(key) == self.model.newest(key)

    def teardown(self) -> None:
        """Close."""
        if hasattr(self, "storage"):
            self.runner.run(self.storage.close())
            self.runner.close()
            self.folder.cleanup()


class DurableMachine(StorageMachine):
    """The same in a folder."""

    is_durable = True


@pytest.mark.parametrize("machine", [StorageMachine, DurableMachine], ids=["memory", "durable"])
def test_the_storage_agrees_with_a_model(machine: type[StorageMachine], share: float) -> None:
    """In both modes, through time, failures to keep up and reopenings."""
    examples = int((1000 if machine is StorageMachine else 300) * share)
    run_state_machine_as_test(machine, settings=settings(max_examples=examples, stateful_step_count=40))
