"""Identity: an object by everything that names it. Reference: what a dependent says of its owner."""

from __future__ import annotations

import msgspec


class Identity(msgspec.Struct, frozen=True, order=True, gc=False):
    """An object's kind, place, name and uid; ordered by kind first, so that trying one after another is orderly."""

    kind: str
    api_version: str
    namespace: str  # empty for an object without one
    name: str
    uid: str

    def __str__(self) -> str:
        kind = f"{self.api_version}/{self.kind}"
        return f"[{kind}, namespace: {self.namespace}, name: {self.name}, uid: {self.uid}]"


class Reference(msgspec.Struct, frozen=True, gc=False):
    """An owner reference, as far as it matters for deletion."""

    kind: str
    api_version: str
    name: str
    uid: str
    blocks: bool = False

    def identity(self, namespace: str) -> Identity:
        """Return whom it means, said by an object of a namespace."""
        return Identity(self.kind, self.api_version, namespace, self.name, self.uid)

    def names(self, owner: Identity) -> bool:
        """Whether it means just this owner, wherever that is."""
        return (self.uid, self.name, self.kind, self.api_version) == (
            owner.uid,
            owner.name,
            owner.kind,
            owner.api_version,
        )
