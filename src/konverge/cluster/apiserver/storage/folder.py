"""The data folder: who has it open, and whether what lies in it is ours.

The folder holds Secrets as they are, so it and its files are for their owner alone. The lock is the kernel's (`flock`):
it ends with the process, however that ends, so a crash leaves nothing to clean up.
"""

from __future__ import annotations

import fcntl
import os
from pathlib import Path

from konverge.cluster.apiserver.storage.database import create
from konverge.cluster.apiserver.storage.error import DamagedStorage, FolderInUse
from konverge.errors import ConfigError

DATABASE = "storage.db"
_LOCK = "lock"


class Folder:
    """A data folder that this process alone has open, until `release`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / DATABASE
        try:
            path.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._lock = os.open(path / _LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise ConfigError(f"{path}: cannot be used as a data folder: {error.strerror}; choose another") from error
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as error:
            holder = os.read(self._lock, 20).decode(errors="replace").strip() or "unknown"
            os.close(self._lock)
            raise FolderInUse(
                f"{path}: in use by another server (pid {holder}); stop that one, or choose another data folder"
            ) from error
        os.ftruncate(self._lock, 0)
        os.pwrite(self._lock, f"{os.getpid()}\n".encode(), 0)

    def create_database(self) -> None:
        """Make the file where there is none. It gets its name when it is whole, so an empty one is always damage."""
        if self.database.exists():
            return
        rest = self.path / f"{DATABASE}-wal"
        if rest.exists():
            raise DamagedStorage(
                f"{self.database}: is gone, and {rest.name} beside it holds its last writes; put it back"
            )
        new = self.path / f"{DATABASE}.new"
        new.unlink(missing_ok=True)
        os.close(os.open(new, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))  # SQLite gives its companions this mode
        create(new)
        new.rename(self.database)
        self._sync()

    def _sync(self) -> None:
        """Make the names in the folder durable: a file without its name is lost."""
        folder = os.open(self.path, os.O_RDONLY | os.O_CLOEXEC)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)

    def release(self) -> None:
        """Let others open it."""
        os.close(self._lock)
