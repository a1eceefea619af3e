"""Scheme: which Python class stands for which kind, and back.

A scheme is a value of its own, not a registry of the process: two programs in one process may know different kinds.
Built-in kinds are looked up when they are first asked for (`Scheme(find=konverge.models.find)`), so that a scheme of
all of them costs nothing to make.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TypeVar

from konverge.api.kind import GroupVersionKind
from konverge.api.model import Model, decode
from konverge.api.object import Object, read
from konverge.api.unstructured import Unstructured
from konverge.errors import RequestError

C = TypeVar("C", bound=type[Object])
Find = Callable[[GroupVersionKind], type[Object] | None]


class Scheme:
    """Maps kinds to classes."""

    def __init__(self, classes: Iterable[type[Object]] = (), *, find: Find | None = None) -> None:
        self._classes: dict[GroupVersionKind, type[Object]] = {}
        self._find = find
        for cls in classes:
            self.register(cls)

    def register(self, cls: C) -> C:
        """Add a class for its kind (usable as a decorator); another class for the same kind is an error."""
        gvk = gvk_of(cls)
        known = self._classes.setdefault(gvk, cls)
        if known is not cls:
            raise RequestError(f"{gvk} has a class already, {known.__module__}.{known.__qualname__}: register one")
        return cls

    def class_of(self, gvk: GroupVersionKind) -> type[Object] | None:
        """Return the class of a kind, or None where none is known."""
        return self._classes.get(gvk) or (self._find(gvk) if self._find else None)

    def read(self, data: bytes) -> Object:
        """Read an object of any kind: as its class where one is known, else as `Unstructured`."""
        cls = self.class_of(gvk_in(data))
        return read(Unstructured if cls is None else cls, data)


class _Identity(Model):
    api_version: str = ""
    kind: str = ""


def gvk_in(data: bytes) -> GroupVersionKind:
    """Return the kind that an object's bytes say it is."""
    found = decode(_Identity, data)
    return GroupVersionKind.parse(found.api_version, found.kind)


def gvk_of(cls: type[Object]) -> GroupVersionKind:
    """Return the kind that a class stands for."""
    resource = getattr(cls, "__resource__", None)
    if resource is None or not resource.plural:
        raise RequestError(f"{cls.__qualname__} stands for no kind: it has no __resource__")
    return cls.__resource__.group_version_kind
