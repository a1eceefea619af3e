"""The journal as a table of one SQLite file. Blocking calls only: whoever makes them does so in a thread.

A row is a change and knows the revision it replaced, so the history needs no index besides the revisions themselves.
`compacted` and `reserved` stand beside it. Each row has a checksum: SQLite finds a torn page, not a flipped bit. All
rows are read and checked when the file is opened, since the objects must be in memory anyway; `PRAGMA quick_check`
would read everything once more and find less.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, Final
from zlib import crc32

from konverge.cluster.apiserver.storage.error import Compacted, DamagedStorage
from konverge.cluster.apiserver.storage.stored import Change, Stored, is_after

LARGEST_COMMIT: Final = 1024  # rows; a statement takes five times as many

_APPLICATION: Final = 1802464886  # "konv", in the file's header
_FORMAT: Final = 1  # as user_version
_COLUMNS: Final = 6
_SCHEMA: Final = """
BEGIN IMMEDIATE;
CREATE TABLE journal (
    revision INTEGER PRIMARY KEY, key TEXT NOT NULL, is_deleted INTEGER NOT NULL, previous INTEGER NOT NULL,
    checksum INTEGER NOT NULL, value BLOB NOT NULL
);
CREATE TABLE position (name TEXT PRIMARY KEY, revision INTEGER NOT NULL);
INSERT INTO position VALUES ('compacted', 1), ('reserved', 1);
PRAGMA application_id = 1802464886;
PRAGMA user_version = 1;
COMMIT;
"""
_CHANGES: Final = """
SELECT new.revision, new.key, new.value, new.is_deleted, new.checksum, new.previous, old.value, old.checksum
FROM journal AS new LEFT JOIN journal AS old ON old.revision = new.previous
WHERE new.revision > ? AND new.revision <= ? AND new.key >= ? AND new.key < ? ORDER BY new.revision LIMIT ?
"""
# With min(), SQLite takes the other columns from the row that has the minimum.
_BEFORE: Final = """
SELECT first.key, first.previous, old.value, old.checksum
FROM (SELECT key, previous, min(revision) FROM journal
      WHERE revision > ? AND revision <= ? AND key >= ? AND key < ? GROUP BY key) AS first
LEFT JOIN journal AS old ON old.revision = first.previous
"""


@cache
def _insertion(rows: int) -> str:
    """One statement for a whole commit: the interpreter is let go of and taken back once, not once a row."""
    values = ",".join(["(" + ",".join("?" * _COLUMNS) + ")"] * rows)
    return f"INSERT INTO journal SELECT * FROM (VALUES {values}) WHERE column1 IS NOT NULL"  # noqa: S608 - no values in it


def create(path: Path) -> None:
    """Write a new file with an empty journal; it is durable when this returns."""
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.executescript(_SCHEMA)
    finally:
        connection.close()


class Database:
    """One connection."""

    def __init__(self, path: Path) -> None:
        self.path = path
        # The threads are ours: one writes, one reads, each with a connection that it has for itself.
        self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, cached_statements=32)
        try:
            with self._watching_for_damage():
                self._refuse_foreign()
                self._connection.execute("PRAGMA journal_mode = WAL")
                self._connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            self._connection.close()
            raise

    @contextmanager
    def _watching_for_damage(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.OperationalError:
            raise  # the disk or its rights, not the file's contents
        except sqlite3.DatabaseError as error:
            raise self._damaged(str(error)) from error

    def _damaged(self, how: str) -> DamagedStorage:
        return DamagedStorage(
            f"{self.path}: is damaged, or was not written by konverge: {how}; it was left as it is. "
            "Put a copy back in its place, or choose another data folder"
        )

    def _refuse_foreign(self) -> None:
        found, version = self._one("PRAGMA application_id"), self._one("PRAGMA user_version")
        if found != _APPLICATION:
            raise self._damaged("its header is another's, or empty")
        if version > _FORMAT:
            raise DamagedStorage(f"{self.path}: written by a newer konverge (format {version}): use that one")

    def _one(self, question: str) -> int:
        return int(self._connection.execute(question).fetchone()[0])

    # --- reading ---

    def position(self, name: str) -> int:
        """Return a revision that stands beside the journal."""
        with self._watching_for_damage():
            found = self._connection.execute("SELECT revision FROM position WHERE name = ?", (name,)).fetchone()
        if found is None:
            raise self._damaged(f"it does not say which revision is {name}")
        return int(found[0])

    def load(self) -> tuple[dict[str, Stored], int]:
        """Read and check every row; return the objects as they stand, and the last revision."""
        found: dict[str, Stored] = {}
        last = self.position("compacted")
        rows = self._connection.execute("SELECT revision, key, is_deleted, checksum, value FROM journal ORDER BY 1")
        with self._watching_for_damage():
            for last, key, is_deleted, checksum, value in rows:
                stored = self._checked(key, value, revision=last, checksum=checksum)
                found.pop(key, None)
                if not is_deleted:
                    found[key] = stored
        return found, max(last, self.position("compacted"))

    def _checked(self, key: str, value: bytes, *, revision: int, checksum: int) -> Stored:
        if _checksum(key, value) != checksum:
            raise self._damaged(f"the checksum of {key} at revision {revision} is wrong")
        return Stored(key, value, revision)

    def changes(self, prefix: str, *, since: int, until: int, limit: int) -> tuple[list[Change], int]:
        """Return up to `limit` changes in (since, until], and up to which revision they are all that there are."""
        with self._snapshot(since):
            rows = self._connection.execute(_CHANGES, (since, until, prefix, is_after(prefix), limit)).fetchall()
        found = [self._change(row) for row in rows]
        return found, found[-1].revision if len(found) == limit else until

    def _change(self, row: Sequence[Any]) -> Change:
        revision, key, value, is_deleted, checksum, previous, old_value, old_checksum = row
        self._checked(key, value, revision=revision, checksum=checksum)
        old = self._previous(key, previous, old_value, old_checksum)
        return Change(revision, key, value, bool(is_deleted), old)

    def _previous(self, key: str, revision: int, value: bytes | None, checksum: int) -> Stored | None:
        if not revision:
            return None
        if value is None:
            raise self._damaged(f"revision {revision} of {key} is missing")
        return self._checked(key, value, revision=revision, checksum=checksum)

    def before(self, prefix: str, *, revision: int, until: int) -> dict[str, Stored | None]:
        """Return how each object that changed in (revision, until] stood at the revision."""
        with self._snapshot(revision):
            rows = self._connection.execute(_BEFORE, (revision, until, prefix, is_after(prefix))).fetchall()
        return {row[0]: self._previous(*row) for row in rows}

    @contextmanager
    def _snapshot(self, since: int) -> Iterator[None]:
        """Read at one moment, and refuse what is compacted at that moment."""
        with self._watching_for_damage():
            self._connection.execute("BEGIN")
            try:
                compacted = self.position("compacted")
                if since < compacted:
                    raise Compacted(since, compacted=compacted)
                yield
            finally:
                self._connection.execute("COMMIT")

    # --- writing ---

    def commit(self, changes: Sequence[Change]) -> None:
        """Make changes durable, all of them or none: one transaction, one sync."""
        rows = 1 << (len(changes) - 1).bit_length()  # few sizes, so that the statements stay prepared
        values: list[Any] = [part for change in changes for part in _row(change)]
        values += [None] * (rows * _COLUMNS - len(values))
        self._connection.execute(_insertion(rows), values)

    def reserve(self, revision: int) -> None:
        """Note that revisions up to this one may be given out: none of them is ever given out again."""
        self._connection.execute("UPDATE position SET revision = ? WHERE name = 'reserved'", (revision,))

    def compact(self, revision: int) -> None:
        """Forget what only a look at the time before a revision needs: what was replaced, and deletions."""
        span = (self.position("compacted"), revision)
        with self._transaction():
            self._connection.execute(
                "DELETE FROM journal WHERE revision IN "
                "(SELECT previous FROM journal WHERE revision > ? AND revision <= ?)",
                span,
            )
            self._connection.execute(
                "DELETE FROM journal WHERE revision > ? AND revision <= ? AND is_deleted = 1", span
            )
            self._connection.execute("UPDATE position SET revision = ? WHERE name = 'compacted'", (revision,))

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
            self._connection.execute("COMMIT")
        except BaseException:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            raise

    def close(self) -> None:
        """Close the connection; the last one folds the write-ahead log into the file."""
        self._connection.close()


def _row(change: Change) -> Iterable[Any]:
    previous = change.previous.revision if change.previous else 0
    checksum = _checksum(change.key, change.value)
    return change.revision, change.key, int(change.is_deleted), previous, checksum, change.value


def _checksum(key: str, value: bytes) -> int:
    return crc32(value, crc32(key.encode()))
