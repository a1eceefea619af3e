"""What all lists and maps have: size, membership, an index or a key."""

from __future__ import annotations

from typing import Any

from konverge.cluster.apiserver.cel.arithmetic import refused
from konverge.cluster.apiserver.cel.cel_error import CelError, no_such_overload
from konverge.cluster.apiserver.cel.equality import same
from konverge.cluster.apiserver.cel.values import Optional, Uint, has_fields, is_list, is_map, type_name
from konverge.cluster.apiserver.go_text import shown_float


def size_of(value: Any) -> int:
    """`size(value)`."""
    if value.__class__ is Optional or not hasattr(value, "__len__"):
        raise refused("size", value)
    return len(value)


def contains(value: Any, container: Any) -> bool:
    """`value in container`."""
    if is_map(container):
        return bool(container.find(value)[1])
    if not is_list(container):
        raise no_such_overload()
    return _in_plain_list(value, container) if isinstance(container, list) else bool(container.contains(value))


def _in_plain_list(value: Any, container: list[Any]) -> bool:
    for item in container:
        try:
            if same(value, item):
                return True
        except CelError:
            continue
    return False


def item(container: Any, index: Any) -> Any:
    """`container[index]` or `container.index`."""
    value, found = find(container, index)
    if found:
        return value
    if is_list(container):
        raise CelError(f"index out of bounds: {shown_key(index)}")
    raise CelError(f"no such key: {shown_key(index)}")


def find(container: Any, index: Any) -> tuple[Any, bool]:
    """Return what is at an index or key, and whether something is."""
    if has_fields(container):
        found: tuple[Any, bool] = container.find(index)
        return found
    if not is_list(container):
        return None, False
    position = _position(index)
    if not 0 <= position < len(container):
        return None, False
    if isinstance(container, list):
        return container[position], True
    if index.__class__ is not int:
        raise CelError(f"unsupported index: {shown_key(index)}")
    return container.at(position), True


def _position(index: Any) -> int:
    kind = index.__class__
    if kind is int or kind is Uint:
        return int(index)
    if kind is not float:
        raise CelError(f"unsupported index type '{type_name(index)}' in list")
    if not float(index).is_integer():
        raise CelError(f"unsupported index value {shown_key(index)} in list")
    return int(index)


def shown_key(key: Any) -> str:
    """Write a key as a message does."""
    if key.__class__ is bool:
        return "true" if key else "false"
    return shown_float(key) if key.__class__ is float else str(key)
