"""The values that the storage hands out. None of them is ever changed, so they are shared, never copied."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec


class Stored(msgspec.Struct, frozen=True, order=True, gc=False):
    """One object as it stands at a revision; in order by key."""

    key: str
    value: bytes  # JSON that carries the revision as its resourceVersion
    revision: int  # of its last change

    def __repr__(self) -> str:
        return f"Stored({self.key!r}, {len(self.value)} bytes, revision={self.revision})"


class Change(msgspec.Struct, frozen=True, gc=False):
    """One write: a line of the journal."""

    revision: int
    key: str
    value: bytes  # of a deletion: the last state, with the deletion's revision
    is_deleted: bool
    previous: Stored | None  # what stood there before; None where the write created the object

    def __repr__(self) -> str:
        what = "deleted" if self.is_deleted else f"{len(self.value)} bytes"
        return f"Change({self.revision}, {self.key!r}, {what}, previous={self.previous!r})"

    def stored(self) -> Stored:
        """Return the object that the write leaves behind, or of a deletion its last state."""
        return Stored(self.key, self.value, self.revision)


class Page(msgspec.Struct, frozen=True):
    """Objects in key order, all as they stand at one revision."""

    items: Sequence[Stored]
    revision: int
    remaining: int = 0  # how many follow after these


def is_after(prefix: str) -> str:
    """Return a bound that is behind every key with this prefix, in the order of keys."""
    return f"{prefix}\U0010ffff"
