"""Subresources for the blocking client: the methods of `Subresource` without the `await`.

Written by tools/generate_blocking.py from the async client; changes made by hand are lost.
"""

from __future__ import annotations

from typing import Any, TypeVar, overload

from konverge.api.form import Kind
from konverge.api.object import Object
from konverge.client.patch import Patch
from konverge.client.subresource import Subresource
from konverge.client.waiter import Waiter

T = TypeVar("T", bound=Object)
B = TypeVar("B", bound=Object)


class BlockingSubresource:
    """The verbs on one subresource."""

    def __init__(self, subresource: Subresource, waiter: Waiter) -> None:
        self._subresource = subresource
        self._wait = waiter
        self.name = subresource.name

    @overload
    def get(self, obj: T) -> T: ...

    @overload
    def get(self, obj: Object, as_: Kind[B]) -> B: ...

    def get(self, obj: Object, as_: Kind[Any] | None = None) -> Object:
        """Return the subresource of an object, read as the class it has (by default, the object's own)."""
        untyped: Any = self._subresource
        answer: Object = self._wait.call(untyped.get(obj, as_))
        return answer

    def create(self, obj: Object, body: B, *, dry_run: bool | None = None, field_owner: str | None = None) -> B:
        """Post to the subresource; what the server answers becomes the body's new content."""
        return self._wait.call(self._subresource.create(obj, body, dry_run=dry_run, field_owner=field_owner))

    @overload
    def update(
        self,
        obj: T,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T: ...

    @overload
    def update(
        self,
        obj: Object,
        body: B,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> B: ...

    def update(
        self,
        obj: Object,
        body: Object | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> Object:
        """Replace the subresource: with the object's own (status), or with a body of another kind (scale)."""
        untyped: Any = self._subresource
        answer: Object = self._wait.call(
            untyped.update(obj, body, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation)
        )
        return answer

    def patch(
        self,
        obj: T,
        patch: Patch | None = None,
        *,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Change a part of the subresource; by default by a merge patch of the changes since the object was read.

        An answer of another kind (a Scale) leaves the object as it is: read it again to see the effect.
        """
        return self._wait.call(
            self._subresource.patch(
                obj, patch, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
            )
        )

    def apply(
        self,
        obj: T,
        *,
        force: bool = False,
        dry_run: bool | None = None,
        field_owner: str | None = None,
        field_validation: str | None = None,
    ) -> T:
        """Apply the subresource's fields of the author's intent, and return the object as it is then."""
        return self._wait.call(
            self._subresource.apply(
                obj, force=force, dry_run=dry_run, field_owner=field_owner, field_validation=field_validation
            )
        )
