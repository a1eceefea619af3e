"""What the storage refuses, by what the one who asked does about it."""

from __future__ import annotations

from konverge.errors import ConfigError, KonvergeError


class StorageError(KonvergeError):
    """The root of what an open storage raises."""


class Stale(StorageError):
    """The write was based on another revision than the newest: read again and redo it."""

    def __init__(self, key: str, *, based_on: int, newest: int) -> None:
        super().__init__(f"{key}: based on revision {based_on}, and the newest is {newest}")
        self.newest = newest


class Compacted(StorageError):
    """The revision is no longer kept: list again."""

    def __init__(self, revision: int, *, compacted: int) -> None:
        super().__init__(f"revision {revision} is no longer kept: the oldest is {compacted}")
        self.revision = revision
        self.compacted = compacted


class WriteFailed(StorageError):
    """The write did not become durable, and is not shown; the storage goes on from what is."""


class Closed(StorageError):
    """The storage, or this subscription to it, was closed."""

    def __init__(self) -> None:
        super().__init__("the storage is closed: open it again")


class FolderInUse(ConfigError):
    """Another process, or this one, has the data folder open."""


class DamagedStorage(ConfigError):
    """The file in the data folder is no storage of konverge, or no longer a whole one; it was left as it is."""
