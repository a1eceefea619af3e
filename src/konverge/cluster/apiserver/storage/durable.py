"""The durable journal: a group commit on one writer thread, and reads of the past on another.

All decisions are made on the loop. While one commit is under way, writes gather; the next one takes them all. When a
commit fails, everything that waits fails with it, because it may be built on what is not there.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from konverge import log
from konverge.cluster.apiserver.storage.database import LARGEST_COMMIT, Database
from konverge.cluster.apiserver.storage.error import Closed, WriteFailed
from konverge.cluster.apiserver.storage.folder import Folder
from konverge.cluster.apiserver.storage.journal import Committed, Failed
from konverge.cluster.apiserver.storage.stored import Change, Stored
from konverge.errors import ConfigError

_RESERVE: Final = 50_000  # revisions at a time: the gap that a crash leaves, and more writes than can be under way
_READ: Final = 512  # changes at a time
_COMPACT: Final = 1024  # revisions at a time
_COMMITS_BETWEEN_STEPS: Final = 8  # of a compaction, when writes never pause

_LOG = log.get("apiserver")
_T = TypeVar("_T")


class Opened(NamedTuple):
    """What was found in a data folder."""

    journal: DurableJournal
    objects: Mapping[str, Stored]
    revision: int  # the last durable one
    given_out: int  # the last one that may have been given out


class DurableJournal:
    """Keeps changes in a SQLite file; take it from `open`."""

    def __init__(self, folder: Folder, database: Database, *, threads: _Threads) -> None:
        self.compacted = database.position("compacted")
        self.reserved = database.position("reserved")
        self._folder = folder
        self._writer = database
        self._threads = threads
        self._reader: Database | None = None  # opened when someone looks at the past
        self._waiting: list[Change] = []
        self._target = 0  # compact up to it
        self._must_reserve = False
        self._commits = 0  # since the last step of a compaction
        self._is_busy = False
        self._idle: asyncio.Event = asyncio.Event()
        self._idle.set()
        self._is_closed = False

    @classmethod
    async def open(cls, path: Path) -> Opened:
        """Open a data folder, or make one. Raises `FolderInUse`, `DamagedStorage` and other `ConfigError`s."""
        threads = _Threads()
        opening = asyncio.get_running_loop().run_in_executor(threads.writing, partial(cls._open, path, threads))
        try:
            return await asyncio.shield(opening)
        except asyncio.CancelledError:
            await cls._abandon(opening)
            raise
        finally:
            if opening.done() and opening.exception() is not None:
                threads.stop()

    @classmethod
    async def _abandon(cls, opening: asyncio.Future[Opened]) -> None:
        """Let go of a folder that nobody waits for any more; its thread goes on to open it."""
        (opened,) = await asyncio.gather(opening, return_exceptions=True)
        if isinstance(opened, Opened):
            await opened.journal.close(last=opened.given_out)

    @classmethod
    def _open(cls, path: Path, threads: _Threads) -> Opened:
        folder = Folder(path)
        try:
            folder.create_database()
            database = Database(folder.database)
            try:
                return cls._loaded(folder, database, threads)
            except BaseException:
                database.close()
                raise
        except (OSError, sqlite3.Error) as error:
            folder.release()
            raise ConfigError(f"{folder.database}: cannot be opened: {error}; check the disk and its rights") from error
        except BaseException:
            folder.release()
            raise

    @classmethod
    def _loaded(cls, folder: Folder, database: Database, threads: _Threads) -> Opened:
        objects, revision = database.load()
        given_out = max(revision, database.position("reserved"))
        database.reserve(given_out + _RESERVE)
        return Opened(cls(folder, database, threads=threads), objects, revision, given_out)

    def bind(self, committed: Committed, failed: Failed) -> None:
        """Say whom to tell."""
        self._committed, self._failed = committed, failed

    # --- writing ---

    def append(self, change: Change) -> None:
        """Commit with the next group."""
        self._waiting.append(change)
        self._start()

    def reserve(self) -> None:
        """Reserve more revisions with the next turn of the writer."""
        self._must_reserve = True
        self._start()

    def compact(self, revision: int) -> None:
        """Forget step by step, between commits."""
        self._target = max(self._target, revision)
        self._start()

    def _start(self) -> None:
        if self._is_closed:
            raise Closed
        if not self._is_busy:
            self._is_busy = True
            self._idle.clear()
            # At the end of this turn of the loop, so that all its writes are one group.
            asyncio.get_running_loop().call_soon(self._turn)

    def _turn(self) -> None:
        """Give the writer its next work, or let it rest."""
        must_step = self._target > self.compacted
        if self._must_reserve:
            self._reserve()
        elif self._waiting and not (must_step and self._commits >= _COMMITS_BETWEEN_STEPS):
            self._commit()
        elif must_step:
            self._step()
        else:
            self._is_busy = False
            self._idle.set()

    def _commit(self) -> None:
        group, self._waiting = self._waiting[:LARGEST_COMMIT], self._waiting[LARGEST_COMMIT:]
        self._commits += 1
        self._write(partial(self._writer.commit, group), partial(self._durable, group), failed=self._fail)

    def _durable(self, group: list[Change]) -> None:
        self._must_reserve = self.reserved - group[-1].revision < _RESERVE // 2
        self._committed(group)

    def _reserve(self) -> None:
        reserved = self.reserved + _RESERVE
        self._must_reserve = False

        def done() -> None:
            self.reserved = reserved

        self._write(partial(self._writer.reserve, reserved), done, failed=self._put_off)

    def _step(self) -> None:
        revision = min(self._target, self.compacted + _COMPACT)
        self._commits = 0

        def done() -> None:
            self.compacted = revision

        self._write(partial(self._writer.compact, revision), done, failed=self._put_off)

    def _write(
        self, work: Callable[[], None], done: Callable[[], None], *, failed: Callable[[BaseException], None]
    ) -> None:
        """Run something in the writer's thread, then tell what came of it, then take the next turn."""

        def finish(future: asyncio.Future[None]) -> None:
            error = future.exception()
            if error is None:
                done()
            else:
                _LOG.error("a write to the data folder failed", error, file=str(self._folder.database))
                failed(error)
            self._turn()

        asyncio.get_running_loop().run_in_executor(self._threads.writing, work).add_done_callback(finish)

    def _fail(self, error: BaseException) -> None:
        self._waiting.clear()
        failure = WriteFailed(f"{self._folder.database}: cannot be written: {error}; check the disk and its free space")
        failure.__cause__ = error
        self._failed(failure)

    def _put_off(self, _: BaseException) -> None:
        """Leave what no write waits for until it is asked for again."""
        self._target = self.compacted

    # --- reading ---

    async def changes(self, prefix: str, *, since: int, until: int) -> tuple[list[Change], int]:
        """Return up to so many changes after `since`."""
        return await self._read(partial(self._changes, prefix, since, until))

    async def before(self, prefix: str, *, revision: int, until: int) -> Mapping[str, Stored | None]:
        """Return how each object that changed since stood at a revision."""
        return await self._read(partial(self._before, prefix, revision, until))

    def _changes(self, prefix: str, since: int, until: int) -> tuple[list[Change], int]:
        return self._past().changes(prefix, since=since, until=until, limit=_READ)

    def _before(self, prefix: str, revision: int, until: int) -> Mapping[str, Stored | None]:
        return self._past().before(prefix, revision=revision, until=until)

    def _past(self) -> Database:
        if self._reader is None:
            self._reader = Database(self._folder.database)
        return self._reader

    async def _read(self, work: Callable[[], _T]) -> _T:
        if self._is_closed:
            raise Closed
        return await asyncio.get_running_loop().run_in_executor(self._threads.reading, work)

    # --- the end ---

    async def close(self, *, last: int) -> None:
        """Wait for the writes under way, note that nothing after `last` was given out, and let the folder go."""
        if self._is_closed:
            return
        await self._idle.wait()
        self._is_closed = True
        loop = asyncio.get_running_loop()
        try:
            await loop.run_in_executor(self._threads.reading, self._close_reader)
            await loop.run_in_executor(self._threads.writing, partial(self._close_writer, last))
        finally:
            self._threads.stop()
            self._folder.release()

    def _close_reader(self) -> None:
        if self._reader is not None:
            self._reader.close()

    def _close_writer(self, last: int) -> None:
        with suppress(sqlite3.Error):  # then the next start leaves a gap, as after a crash
            self._writer.reserve(last)
        self._writer.close()


class _Threads:
    """The two threads; they start with their first work."""

    def __init__(self) -> None:
        self.writing = ThreadPoolExecutor(1, thread_name_prefix="konverge-storage-writer")
        self.reading = ThreadPoolExecutor(1, thread_name_prefix="konverge-storage-reader")

    def stop(self) -> None:
        self.writing.shutdown(wait=False)
        self.reading.shutdown(wait=False)
