"""Kept: what a plugin has read of the storage, until an object that it was read from changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

from konverge.cluster.apiserver.resource import Resource

T = TypeVar("T")


class Kept(Generic[T]):
    """Something that is read when it is asked for, and again after a change of one of its resources."""

    def __init__(self, read: Callable[[], T], *resources: tuple[str, str]) -> None:
        self._read = read
        self._resources = resources  # each by its group and plural
        self._value: T | None = None  # None: to be read

    @property
    def value(self) -> T:
        """What the storage says."""
        if self._value is None:
            self._value = self._read()
        return self._value

    def changed(self, resource: Resource) -> None:
        """Take note of a write."""
        if (resource.group, resource.plural) in self._resources:
            self._value = None
