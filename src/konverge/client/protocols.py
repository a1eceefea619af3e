"""What a reconciler may ask of a client: to read, and to write.

The live `Client` has both, and so has the cached one, which reads from memory and writes to the server. Code that
takes one of these works with either.
"""

from __future__ import annotations

from typing import Protocol

from konverge.api.form import Kind, T
from konverge.api.object import Object
from konverge.client.engine import Named, Selector
from konverge.client.listing import Listing
from konverge.client.patch import Patch
from konverge.client.subresource import Subresource


class Reader(Protocol):
    """Reads objects."""

    async def get(self, kind: Kind[T], name: str | Named, *, namespace: str | None = None) -> T:
        """Return one object; `NotFound` if there is none."""
        ...

    def list(
        self,
        kind: Kind[T],
        *,
        namespace: str | None = None,
        labels: Selector | None = None,
        fields: Selector | None = None,
        limit: int | None = None,
    ) -> Listing[T]:
        """Return the objects of a namespace, or of all."""
        ...


class Writer(Protocol):
    """Writes objects."""

    async def create(self, obj: T) -> T:
        """Create an object."""
        ...

    async def update(self, obj: T) -> T:
        """Replace an object."""
        ...

    async def patch(self, obj: T, patch: Patch | None = None) -> T:
        """Change a part of an object."""
        ...

    async def apply(self, obj: T, *, force: bool = False) -> T:
        """Make the server's object have these fields."""
        ...

    async def delete(self, target: Object | Kind[T], name: str | Named | None = None) -> None:
        """Delete an object."""
        ...

    async def delete_all_of(self, kind: Kind[T], *, namespace: str | None = None) -> None:
        """Delete every object of a kind in a namespace."""
        ...

    @property
    def status(self) -> Subresource:
        """The status subresource."""
        ...

    def subresource(self, name: str) -> Subresource:
        """Return the verbs of any subresource."""
        ...


class ReaderWriter(Reader, Writer, Protocol):
    """Reads and writes objects."""
