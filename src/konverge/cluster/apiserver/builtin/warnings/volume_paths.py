"""Warnings of volumes that put two things in one place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_KINDS: Final = (("configMap", "ConfigMap", "name"), ("secret", "Secret", "secretName"), ("downwardAPI", "", ""))

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
    known: list[Placed] = []
    for path, source in placed:
        own = (path.rstrip("/"), source)
        for other in known:
            if own[0] and other[0] and _is_inside(own[0], other[0]):
                yield f"{_shown(own)} with {_shown(other)}"
        known.append(own)


def _is_inside(one: str, other: str) -> bool:
    return f"{one}/".startswith(f"{other}/") or f"{other}/".startswith(f"{one}/")


def _shown(placed: Placed) -> str:
    path, source = placed
    return f"{quoted(path)} ({source})" if source else quoted(path)
