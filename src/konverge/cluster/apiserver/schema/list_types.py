"""Lists that are sets or maps: no item, and no key, stands in one twice."""

from __future__ import annotations

from typing import Any

import msgspec

from konverge.cluster.apiserver.field_error import FieldError, duplicate, invalid
from konverge.cluster.apiserver.schema.go_value import told
from konverge.cluster.apiserver.schema.structural import Structural

_encoder = msgspec.json.Encoder(order="sorted")


def check_list_types(value: Any, node: Structural, path: str = "") -> list[FieldError]:
    """Tell what stands twice in the lists of a value."""
    if not node.has_list_types:
        return []
    if isinstance(value, dict):
        return _check_object(value, node, path)
    if isinstance(value, list):
        return _check_list(value, node, path)
    return []


def _check_object(value: dict[str, Any], node: Structural, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    for name, child in node.listed:
        if name in value:
            errors += check_list_types(value[name], child, f"{path}.{name}" if path else name)
    if node.additional is not None and node.additional.has_list_types:
        for name, item in value.items():
            if name not in node.properties:
                errors += check_list_types(item, node.additional, f"{path}[{name}]")
    return errors


def _check_list(value: list[Any], node: Structural, path: str) -> list[FieldError]:
    errors: list[FieldError] = []
    if node.list_type == "set":
        errors += [duplicate(f"{path}[{index}]", told(value[index])) for index in _repeated(value)]
    elif node.list_type == "map":
        errors += _check_keys(value, node, path)
    if node.items is not None and node.items.has_list_types:
        for index, item in enumerate(value):
            errors += check_list_types(item, node.items, f"{path}[{index}]")
    return errors


def _repeated(values: list[Any]) -> list[int]:
    """Return where each value that stands more than once stands for the second time."""
    if len(values) <= 1:
        return []
    seen: dict[Any, int] = {}
    found = []
    for index, value in enumerate(values):
        key = _encoder.encode(value) if isinstance(value, dict | list) else (type(value), value)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:  # noqa: PLR2004 - the second is told, a third is not
            found.append(index)
    return found


def _are_distinct(value: list[Any], name: str) -> bool:
    """Whether the keys are texts and all different: the usual case, found quickly."""
    keys = {item.get(name) for item in value if item and type(item.get(name)) is str}
    return len(keys) == len(value)


def _check_keys(value: list[Any], node: Structural, path: str) -> list[FieldError]:
    for index, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            return [invalid(f"{path}[{index}]", told(item), "must be an object for an array of list-type map")]
    if len(value) <= 1:
        return []
    names = node.list_map_keys
    if len(names) == 1 and _are_distinct(value, names[0]):
        return []
    keys = [{name: item[name] for name in names if name in item} if item else {} for item in value]
    return [duplicate(f"{path}[{index}]", told(keys[index])) for index in _repeated(keys)]
