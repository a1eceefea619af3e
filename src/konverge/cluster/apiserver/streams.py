"""Streams: the watches that are open, so that they end in order when the server does, or what they watch is gone."""

from __future__ import annotations

import weakref
from typing import Protocol

from konverge.cluster.apiserver.resource import Resource, Resources


class Ending(Protocol):
    """What can be told to end."""

    def end(self) -> None:
        """End; a reader that waits stops waiting."""
        ...


class Streams:
    """Knows every open watch as long as someone holds it."""

    def __init__(self) -> None:
        self._open: weakref.WeakKeyDictionary[Ending, Resource] = weakref.WeakKeyDictionary()

    def __len__(self) -> int:
        return len(self._open)

    def add(self, stream: Ending, resource: Resource) -> None:
        """Know of a watch."""
        self._open[stream] = resource

    def end_unserved(self, resources: Resources) -> None:
        """End the watches of what is no longer served."""
        for stream, resource in list(self._open.items()):
            if resources.find(resource.group, resource.version, resource.plural) is None:
                stream.end()

    def close(self) -> None:
        """End every watch; what its reader has already been given is still sent."""
        for stream in list(self._open):
            stream.end()
