"""Pruning: what the schema does not know is dropped, and its path is told (for field validation).

With it go nulls where the schema takes none and has no default. Nothing is copied: a value in which all is known is
walked over once and left alone.
"""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.schema.structural import Structural

_META = ("apiVersion", "kind", "metadata")
Way = list[str | int]  # from a field up to the value that is pruned: the nearest part first


def prune(value: Any, node: Structural, *, is_root: bool = True) -> list[str]:
    """Drop from a value what its schema does not know; return the paths, sorted.

    A whole object (`is_root`) keeps its apiVersion, kind and metadata untouched.
    """
    is_object = is_root and type(value) is dict
    ways = _prune_object(value, node, is_embedded=True) if is_object else _prune(value, node)
    return sorted(map(_path, ways)) if ways else []


def _prune(value: Any, node: Structural | None, *, keeps: bool = False) -> list[Way] | None:
    """Prune a list or an object; return the ways to what was dropped, None where nothing was."""
    if type(value) is list:
        return _prune_items(value, node, keeps=keeps)
    if type(value) is not dict:
        return None
    if node is not None:
        return _prune_object(value, node, is_embedded=node.is_embedded, keeps=keeps)
    ways: list[Way] = [[name] for name in value]
    value.clear()
    return ways


def _prune_object(
    value: dict[str, Any], node: Structural, *, is_embedded: bool, keeps: bool = False
) -> list[Way] | None:
    properties, additional, has_additional = node.properties, node.additional, node.has_additional
    gone: list[str] | None = None
    ways: list[Way] | None = None
    for name, item in value.items():
        if is_embedded and name in _META:
            continue
        child = properties.get(name, additional)
        kind = type(item)
        if child is None and not has_additional:
            gone = _with(gone, name)
        elif kind is dict or kind is list:
            found = _prune(item, child)
            if found:
                ways = _told_from(name, found, ways)
        elif item is None and child is not None and not child.nullable and child.default is None:
            gone = _with(gone, name)
    if gone is None:
        return ways
    return _drop(value, gone, node, keeps=keeps or node.preserves_unknown) + (ways or [])


def _told_from(step: str | int, found: list[Way], ways: list[Way] | None) -> list[Way]:
    """Make the ways that were found in a part start from what holds it."""
    for way in found:
        way.append(step)
    if ways is None:
        return found
    ways += found
    return ways


def _with(names: list[str] | None, name: str) -> list[str]:
    if names is None:
        return [name]
    names.append(name)
    return names


def _drop(value: dict[str, Any], names: list[str], node: Structural, *, keeps: bool) -> list[Way]:
    """Drop what is unknown, which is told, and nulls of what is known, which are not."""
    told: list[Way] = []
    for name in names:
        if name in node.properties or node.has_additional:
            del value[name]
        elif not keeps:
            del value[name]
            told.append([name])
    return told


def _prune_items(value: list[Any], node: Structural | None, *, keeps: bool) -> list[Way] | None:
    items = None if node is None else node.items
    keeps = keeps or (node is not None and node.preserves_unknown)
    if items is None and keeps:
        return None
    ways: list[Way] | None = None
    for index, item in enumerate(value):
        if type(item) is dict or type(item) is list:
            found = _prune(item, items, keeps=keeps)
            if found:
                ways = _told_from(index, found, ways)
    return ways


def _path(way: Way) -> str:
    text = ""
    for part in reversed(way):
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
