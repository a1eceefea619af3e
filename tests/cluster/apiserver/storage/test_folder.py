from __future__ import annotations

import asyncio
import os
import resource
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from konverge.cluster.apiserver.storage import DamagedStorage, FolderInUse, Storage, Stored, WriteFailed
from konverge.cluster.apiserver.storage.durable import DurableJournal
from konverge.errors import ConfigError
from konverge.testing.virtual_time import run

PODS = "/core/pods/"
LARGE = b"x" * 100_000


def value(contents: bytes = b"x") -> Callable[[int], bytes]:
    """Return what encodes these contents."""
    return lambda revision: b"%d:%b" % (revision, contents)


async def fill(folder: Path, *, count: int = 3) -> int:
    """Make a folder with some objects; return its revision."""
    storage = await Storage.open(folder)
    await asyncio.gather(*(storage.put(f"{PODS}{n}", value(), based_on=0) for n in range(count)))
    revision = storage.revision
    await storage.close()
    return revision


async def test_an_opened_folder_has_everything_back(tmp_path: Path) -> None:
    """Objects, revisions and the history of watches; the next write goes on after the last."""
    revision = await fill(tmp_path)
    storage = await Storage.open(tmp_path)
    assert storage.revision == revision == 4
    assert storage.get(PODS + "1") == Stored(PODS + "1", b"3:x", 3)
    with storage.watch(PODS, since=2) as subscription:
        assert [change.revision for change in await subscription.next_batch()] == [3, 4]
    assert (await storage.put(PODS + "new", value(), based_on=0)).revision == 5
    await storage.close()


async def test_a_list_of_the_past_works_after_opening(tmp_path: Path) -> None:
    """What was deleted before is in the journal, and in no memory."""
    revision = await fill(tmp_path)
    storage = await Storage.open(tmp_path)
    await storage.delete(PODS + "2", value(), based_on=revision)
    await storage.close()
    storage = await Storage.open(tmp_path)
    assert [item.key for item in (await storage.range_at(PODS, revision)).items] == [PODS + "0", PODS + "1", PODS + "2"]
    await storage.close()


async def test_revisions_are_not_reused_when_nothing_is_left(tmp_path: Path) -> None:
    """Neither by a storage that was emptied and compacted, nor by one that only read."""
    storage = await Storage.open(tmp_path, keep=0)
    stored = await storage.put(PODS + "x", value(), based_on=0)
    stored = await storage.delete(PODS + "x", value(), based_on=stored.revision)
    await storage.close()
    storage = await Storage.open(tmp_path)
    assert (len(storage), storage.revision, storage.compacted) == (0, stored.revision, stored.revision)
    await storage.close()
    storage = await Storage.open(tmp_path)
    assert (await storage.put(PODS + "x", value(), based_on=0)).revision == stored.revision + 1
    await storage.close()


async def test_compaction_leaves_the_live_objects_and_no_more(tmp_path: Path) -> None:
    """Ten versions of a hundred objects become a hundred rows; watches from the compacted revision still work."""
    storage = await Storage.open(tmp_path, keep=0)
    for _ in range(10):
        objects = [storage.newest(f"{PODS}{n}") for n in range(100)]
        await asyncio.gather(
            *(
                storage.put(f"{PODS}{n}", value(), based_on=found.revision if found else 0)
                for n, found in enumerate(objects)
            )
        )
    extra = await storage.put(PODS + "extra", value(), based_on=0)
    await storage.delete(PODS + "extra", value(), based_on=extra.revision)
    await storage.close()
    assert storage.compacted == storage.revision
    with sqlite3.connect(tmp_path / "storage.db") as database:
        assert database.execute("SELECT count(*) FROM journal").fetchone() == (100,)
    database.close()
    storage = await Storage.open(tmp_path)
    assert [found.revision for found in storage.range(PODS).items] == sorted(
        range(902, 1002), key=lambda n: str(n - 902)
    )
    with storage.watch(PODS, since=storage.compacted) as subscription:
        await storage.delete(PODS + "0", value(), based_on=902)
        [change] = await subscription.next_batch()
        assert change.previous == Stored(PODS + "0", b"902:x", 902)
    await storage.close()


async def test_the_files_are_for_their_owner_alone(tmp_path: Path) -> None:
    """They hold Secrets as they are."""
    storage = await Storage.open(tmp_path / "data")
    await storage.put(PODS + "x", value(), based_on=0)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in (tmp_path / "data").iterdir()}
    assert {"lock", "storage.db", "storage.db-wal"} <= modes.keys()
    assert {mode for name, mode in modes.items()} == {0o600}
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    await storage.close()


async def test_a_second_server_on_a_folder_is_refused(tmp_path: Path) -> None:
    """With the folder and the process that has it; when that one is done, the folder is free."""
    storage = await Storage.open(tmp_path)
    with pytest.raises(FolderInUse, match=f"{tmp_path}: in use by another server \\(pid {os.getpid()}\\)"):
        await Storage.open(tmp_path)
    await storage.put(PODS + "x", value(), based_on=0)
    await storage.close()
    await (await Storage.open(tmp_path)).close()


def test_a_second_process_on_a_folder_is_refused(tmp_path: Path) -> None:
    """The lock is the kernel's, so it holds across processes and ends with one that is killed."""
    program = f"""
import asyncio
from konverge.cluster.apiserver.storage import Storage
async def main():
    storage = await Storage.open({str(tmp_path)!r})
    print("open", flush=True)
    await asyncio.Event().wait()
asyncio.run(main())
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"open\n"
        with pytest.raises(FolderInUse, match=f"pid {process.pid}"):
            asyncio.run(Storage.open(tmp_path))
        process.kill()
    assert asyncio.run(fill(tmp_path)) > 3


@pytest.mark.parametrize(
    "contents", [b"", b"SQLite format 3\0" + b"?" * 5000, b"my thesis\n" * 500], ids=["empty", "torn", "foreign"]
)
async def test_a_file_that_is_not_ours_is_reported_and_left_alone(tmp_path: Path, contents: bytes) -> None:
    """The message names the file and says what to do."""
    (tmp_path / "storage.db").write_bytes(contents)
    with pytest.raises(
        DamagedStorage, match=r"storage\.db: is damaged, or was not written by konverge.*another data folder"
    ):
        await Storage.open(tmp_path)
    assert (tmp_path / "storage.db").read_bytes() == contents
    with pytest.raises(DamagedStorage):  # and the folder was let go
        await Storage.open(tmp_path)


async def test_another_programs_database_is_not_written_to(tmp_path: Path) -> None:
    """Though it is a whole SQLite file."""
    with sqlite3.connect(tmp_path / "storage.db") as database:
        database.execute("CREATE TABLE journal (revision INTEGER)")
    database.close()
    before = (tmp_path / "storage.db").read_bytes()
    with pytest.raises(DamagedStorage, match="was not written by konverge"):
        await Storage.open(tmp_path)
    assert (tmp_path / "storage.db").read_bytes() == before


async def test_a_newer_format_is_refused(tmp_path: Path) -> None:
    """An older konverge must not guess."""
    await fill(tmp_path)
    with sqlite3.connect(tmp_path / "storage.db") as database:
        database.execute("PRAGMA user_version = 2")
    database.close()
    with pytest.raises(DamagedStorage, match=r"written by a newer konverge \(format 2\)"):
        await Storage.open(tmp_path)


async def test_a_missing_file_beside_its_last_writes_is_reported(tmp_path: Path) -> None:
    """Starting afresh there would hide a loss."""
    (tmp_path / "storage.db-wal").write_bytes(b"the last writes")
    with pytest.raises(DamagedStorage, match="put it back"):
        await Storage.open(tmp_path)


@pytest.mark.parametrize("part", range(10))
async def test_damage_anywhere_in_the_file_is_reported(tmp_path: Path, part: int) -> None:
    """A page that was overwritten, or one flipped bit in an object: it is found when the file is opened."""
    await fill(tmp_path, count=200)
    file = tmp_path / "storage.db"
    contents = bytearray(file.read_bytes())
    at = contents.index(b"%d:x" % (part * 20 + 5)) if part else 4096 * 2
    contents[at : at + 1] = bytes([contents[at] ^ 4]) if part else b"\xff" * 200
    file.write_bytes(contents)
    with pytest.raises(DamagedStorage, match=r"storage\.db: is damaged"):
        await Storage.open(tmp_path)


async def test_a_file_cut_short_is_reported(tmp_path: Path) -> None:
    """As a full disk leaves a copy."""
    await fill(tmp_path, count=200)
    file = tmp_path / "storage.db"
    file.write_bytes(file.read_bytes()[:-4096])
    with pytest.raises(DamagedStorage, match=r"storage\.db: is damaged"):
        await Storage.open(tmp_path)


async def test_a_folder_that_cannot_be_made_is_reported(tmp_path: Path) -> None:
    """With its path and the reason."""
    (tmp_path / "file").write_text("")
    with pytest.raises(ConfigError, match="cannot be used as a data folder: Not a directory"):
        await Storage.open(tmp_path / "file" / "data")


@contextmanager
def full_disk() -> Iterator[None]:
    """Let no file of this process grow beyond 64 KiB, which is what a full disk looks like to a database."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_a_full_disk_fails_what_waits_and_the_storage_lives_on(tmp_path: Path) -> None:
    """Each waiting write is told, `newest` is what is durable again, and revisions go on after the failed ones."""
    storage = await Storage.open(tmp_path)
    kept = await storage.put(PODS + "kept", value(), based_on=0)
    with full_disk():
        writes = [storage.put(f"{PODS}{n}", value(LARGE), based_on=0) for n in range(3)]
        writes.append(storage.put(PODS + "kept", value(b"built on it"), based_on=kept.revision))
        writes.append(storage.delete(PODS + "0", value(), based_on=3))
        results = await asyncio.gather(*writes, return_exceptions=True)
    assert {type(result) for result in results} == {WriteFailed}
    assert "storage.db: cannot be written" in str(results[0])
    assert (storage.newest(PODS + "0"), storage.newest(PODS + "kept")) == (None, kept)
    assert storage.revision == kept.revision
    again = await storage.put(PODS + "0", value(LARGE), based_on=0)
    assert again.revision == 8
    await storage.close()
    storage = await Storage.open(tmp_path)
    assert [found.key for found in storage.range(PODS).items] == [PODS + "0", PODS + "kept"]
    await storage.close()


async def test_writes_built_on_a_failed_one_fail_too(tmp_path: Path) -> None:
    """Also those that come while the commit is under way."""
    storage = await Storage.open(tmp_path)
    with full_disk():
        first = asyncio.ensure_future(storage.put(PODS + "x", value(LARGE), based_on=0))
        await asyncio.sleep(0)  # its commit starts
        second = asyncio.ensure_future(storage.put(PODS + "x", value(), based_on=2))
        results = await asyncio.gather(first, second, return_exceptions=True)
    assert [type(result) for result in results] == [WriteFailed, WriteFailed]
    assert storage.newest(PODS + "x") is None
    await storage.close()
    storage = await Storage.open(tmp_path)
    assert (await storage.put(PODS + "x", value(), based_on=0)).revision == 4
    await storage.close()


async def test_a_disk_that_stays_full_uses_up_what_was_reserved_and_recovers(tmp_path: Path) -> None:
    """Revisions are reserved on disk before they are given out; with none left, writes fail until some are."""
    storage = await Storage.open(tmp_path)
    with full_disk():
        for _ in range(52):
            writes = [storage.put(f"{PODS}{n}", value(b"x" * 200), based_on=0) for n in range(999)]
            await asyncio.gather(storage.put(PODS + "large", value(LARGE), based_on=0), *writes, return_exceptions=True)
            if storage._next > storage._journal.reserved:
                break
        with pytest.raises(WriteFailed, match="too many writes are under way, or the disk takes none"):
            storage.put(PODS + "x", value(), based_on=0)
    with pytest.raises(WriteFailed):
        storage.put(PODS + "x", value(), based_on=0)
    assert isinstance(storage._journal, DurableJournal)
    await storage._journal._idle.wait()
    await storage.put(PODS + "x", value(), based_on=0)
    await storage.close()


async def test_a_crash_leaves_a_gap_in_revisions(tmp_path: Path) -> None:
    """What was given out and never became durable is not given out again."""
    storage = await Storage.open(tmp_path)
    await storage.put(PODS + "x", value(), based_on=0)
    crashed = shutil.copytree(tmp_path, tmp_path.with_name("crashed"))  # what a crash would leave behind
    await storage.close()
    storage = await Storage.open(crashed)
    assert storage.revision == 2
    assert (await storage.put(PODS + "y", value(), based_on=0)).revision > 10_000
    await storage.close()


def test_a_durable_storage_may_run_on_virtual_time(tmp_path: Path) -> None:
    """Time stands still while its threads work."""

    async def main() -> int:
        revision = await fill(tmp_path)
        await asyncio.sleep(3600)
        return revision

    assert run(main()) == 4


async def test_an_opening_that_is_cancelled_lets_the_folder_go(tmp_path: Path) -> None:
    """Whoever gave up may try again."""
    for turns in range(4):
        opening = asyncio.ensure_future(Storage.open(tmp_path))
        for _ in range(turns):
            await asyncio.sleep(0)
        opening.cancel()
        with pytest.raises(asyncio.CancelledError):
            await opening
        await (await Storage.open(tmp_path)).close()
