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
    ways: list[Way] = []
    if is_root and isinstance(value, dict):
        _prune_object(value, node, ways, is_embedded=True)
    else:
        _prune(value, node, ways)
    return sorted(_path(way) for way in ways)


def _prune(value: Any, node: Structural | None, ways: list[Way], *, keeps: bool = False) -> None:
    kind = type(value)
    if kind is dict:
        if node is None:
            ways.extend([name] for name in value)
            value.clear()
        else:
            _prune_object(value, node, ways, is_embedded=node.is_embedded, keeps=keeps)
    elif kind is list:
        _prune_items(value, node, ways, keeps=keeps)


def _prune_object(
    value: dict[str, Any], node: Structural, ways: list[Way], *, is_embedded: bool, keeps: bool = False
) -> None:
    properties, additional = node.properties, node.additional
    keeps = keeps or node.preserves_unknown
    gone: list[str] = []
    for name, item in value.items():
        if is_embedded and name in _META:
            continue
        child = properties.get(name, additional)
        kind = type(item)
        if child is None and not node.has_additional:
            if not keeps:
                gone.append(name)
        elif kind is dict or kind is list:
            _prune_part(item, child, ways, name)
        elif item is None and child is not None and not child.nullable and child.default is None:
            gone.append(name)
    if gone:
        _drop(value, gone, node, ways)


def _prune_part(value: Any, node: Structural | None, ways: list[Way], step: str | int, *, keeps: bool = False) -> None:
    found: list[Way] = []
    _prune(value, node, found, keeps=keeps)
    if found:
        ways.extend([*way, step] for way in found)


def _drop(value: dict[str, Any], names: list[str], node: Structural, ways: list[Way]) -> None:
    """Drop what is unknown, which is told, and nulls of what is known, which are not."""
    for name in names:
        del value[name]
        if name not in node.properties and not node.has_additional:
            ways.append([name])


def _prune_items(value: list[Any], node: Structural | None, ways: list[Way], *, keeps: bool) -> None:
    items = None if node is None else node.items
    keeps = keeps or (node is not None and node.preserves_unknown)
    if items is None and keeps:
        return
    for index, item in enumerate(value):
        if type(item) is dict or type(item) is list:
            _prune_part(item, items, ways, index, keeps=keeps)


def _path(way: Way) -> str:
    text = ""
    for part in reversed(way):
        if isinstance(part, int):
            text += f"[{part}]"
        else:
            text += f".{part}" if text else part
    return text
