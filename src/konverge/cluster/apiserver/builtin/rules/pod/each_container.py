"""The containers of a pod of every sort, in the order in which rules look at them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject

_SORTS: Final = ("initContainers", "containers", "ephemeralContainers")


def each_container(spec: JsonObject, path: str) -> Iterator[tuple[JsonObject, str]]:
    """Yield each container and its path: those that run first, the regular ones, those that were added."""
    for sort in _SORTS:
        for index, container in enumerate(spec.get(sort) or ()):
            yield container, f"{path}.{sort}[{index}]"
