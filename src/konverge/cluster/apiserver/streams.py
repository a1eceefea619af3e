"""Streams: the watches that are open, so that they end in order when the server does, or what they watch."""

from __future__ import annotations

import weakref
from typing import Protocol

from konverge.cluster.apiserver.resource import Resource, Resources


class Ending(Protocol):
    """What can be told to end."""

    def end(self) -> None:
        """End in order."""
        ...


class Streams:
    """Knows every open watch as long as someone holds it."""

    def __init__(self) -> None:
        self._open: weakref.WeakKeyDictionary[Ending, Resource] = weakref.WeakKeyDictionary()
        self._generation = -1

    def __len__(self) -> int:
        return len(self._open)

    def add(self, stream: Ending, resource: Resource) -> None:
        """Know of a watch."""
        self._open[stream] = resource

    def end_changed(self, resources: Resources) -> None:
        """End the watches of what is no longer served, or is defined in another way; clients then begin anew."""
        if resources.generation == self._generation:
            return
        self._generation = resources.generation
        for stream, resource in list(self._open.items()):
            found = resources.find(resource.group, resource.version, resource.plural)
            if found is not resource and not _is_terminating(found):
                stream.end()

    def close(self) -> None:
        """End every watch."""
        for stream in list(self._open):
            stream.end()


def _is_terminating(resource: Resource | None) -> bool:
    """Say whether a definition is being deleted: until it is gone, its watches show how its objects go."""
    return resource is not None and bool(resource.strategy.refuses_create)
