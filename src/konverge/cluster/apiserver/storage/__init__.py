"""Storage: keys to JSON bytes with revisions and a journal that serves watches; what etcd is to the real server.

All of it is used from one event loop. `Storage.open(folder)` keeps everything in one SQLite file, `Storage.in_memory()`
nothing. What both promise:

- **Nothing is shown before it is durable**: no get, list, watch or awaited write. `newest` alone sees writes under way.
- **Revisions are never used twice**, not by a failed write, not after a crash. They may have gaps.
- **Watches have no gap and no repeat**, from any revision that is still kept; below it they are `Compacted`.
"""

from konverge.cluster.apiserver.storage.error import (
    Closed,
    Compacted,
    DamagedStorage,
    FolderInUse,
    Stale,
    StorageError,
    WriteFailed,
)
from konverge.cluster.apiserver.storage.storage import Storage
from konverge.cluster.apiserver.storage.stored import Change, Page, Stored
from konverge.cluster.apiserver.storage.subscription import Subscription

__all__ = [
    "Change",
    "Closed",
    "Compacted",
    "DamagedStorage",
    "FolderInUse",
    "Page",
    "Stale",
    "Storage",
    "StorageError",
    "Stored",
    "Subscription",
    "WriteFailed",
]
