"""Warnings of volumes that put two things in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_KINDS: Final = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"), ("downwardAPI", "", ""))

MOST: Final = 4096  # warnings of pairs, of which there may be millions: more than an answer can carry
Placed = tuple[str, str]  # a path, and what puts something there


def path_warnings(volumes: Sequence[JsonObject]) -> Iterator[str]:
    """Warn of paths in a volume that are the same, or inside each other."""
    for volume in volumes:
        name = quoted(volume.get("name", ""))
        for kind, title, named in _KINDS:
            source = volume.get(kind, {})
            about = f"{title} {quoted(source.get(named, ''))}" if title else "DownwardAPI"
            for overlap in _overlaps([(item.get("path", ""), "") for item in source.get("items") or ()]):
                yield f"volume {name} ({about}): overlapping paths: {overlap}"
        yield from _of_projected(volume.get("projected", {}).get("sources") or (), name)


def _of_projected(sources: Sequence[JsonObject], name: str) -> Iterator[str]:
    placed: list[Placed] = []
    for source in sources:
        if not source:
            yield f"volume {name} (Projected) has no sources provided"
        placed += _placed(source)
    for overlap in _overlaps(placed):
        yield f"volume {name} (Projected): overlapping paths: {overlap}"


def _placed(source: JsonObject) -> Iterator[Placed]:
    for kind, title in (("configMap", "ConfigMap"), ("secret", "Secret")):
        found = source.get(kind, {})
        for item in found.get("items") or ():
            yield item.get("path", ""), f"{title} {quoted(found.get('name', ''))}"
    for item in source.get("downwardAPI", {}).get("items") or ():
        yield item.get("path", ""), "DownwardAPI"
    if "serviceAccountToken" in source:
        yield source["serviceAccountToken"].get("path", ""), "ServiceAccountToken"


def _overlaps(placed: Sequence[Placed]) -> Iterator[str]:
    for later, earlier in sorted(islice(_overlapping([path for path, _ in placed]), MOST)):
        yield f"{_shown(placed[later])} with {_shown(placed[earlier])}"


def _overlapping(paths: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Find those of which one is inside the other, the later one first; in their order each follows what it is in."""
    outer: list[tuple[str, int]] = []
    for path, index in sorted((f"{path.rstrip('/')}/", index) for index, path in enumerate(paths) if path.rstrip("/")):
        while outer and not path.startswith(outer[-1][0]):
            outer.pop()
        yield from ((max(index, other), min(index, other)) for _, other in outer)
        outer.append((path, index))


def _shown(placed: Placed) -> str:
    path, source = placed
    shown = quoted(path.rstrip("/"))
    return f"{shown} ({source})" if source else shown
