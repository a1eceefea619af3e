"""What a custom resource's scale subresource asks of the object: whole replicas, and a text for the selector."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.cluster.apiserver.field_error import FieldError, invalid
from konverge.cluster.apiserver.schema.go_value import go_float

_MOST: Final = 2**31 - 1
_GO_TYPES: Final = {
    str: "string",
    bool: "bool",
    int: "int64",
    float: "float64",
    list: "[]interface {}",
    dict: "map[string]interface {}",
}


def scale_faults(
    value: Mapping[str, Any], scale: Mapping[str, Any] | None, *, is_status: bool = False
) -> Iterator[FieldError]:
    """Say what is wrong with the fields that a scale shows; `is_status`: only with those of the status."""
    if scale is None:
        return
    if not is_status:
        yield from _replicas_faults(value, scale.get("specReplicasPath") or "")
    yield from _replicas_faults(value, scale.get("statusReplicasPath") or "")
    selector = scale.get("labelSelectorPath")
    if selector:
        _, fault = _nested(value, selector, str)
        if fault:
            yield invalid(selector, "", fault)


def _replicas_faults(value: Mapping[str, Any], path: str) -> Iterator[FieldError]:
    found, fault = _nested(value, path, int)
    if fault:
        yield invalid(path, 0, fault)
    elif found is not None and found < 0:
        yield invalid(path, found, "should be a non-negative integer")
    elif found is not None and found > _MOST:
        yield invalid(path, found, f"should be less than or equal to {_MOST}")


def _nested(value: Any, path: str, wanted: type) -> tuple[Any, str]:
    """Return what stands at a path, None where nothing does; or say that something else stands in its way."""
    names = path.removeprefix(".").split(".")
    for index, name in enumerate(names):
        if value is None:
            return None, ""
        if not isinstance(value, Mapping):
            return None, _accessor(names[: index + 1], value, "map[string]interface{}")
        if name not in value:
            return None, ""
        value = value[name]
    if type(value) is wanted:
        return value, ""
    if value is None and wanted is str:
        return None, _accessor(names, value, "string")
    return None, _accessor(names, value, _GO_TYPES[wanted])


def _accessor(names: list[str], value: Any, wanted: str) -> str:
    found = _GO_TYPES.get(type(value), "<nil>")
    return f".{'.'.join(names)} accessor error: {_go(value)} is of the type {found}, expected {wanted}"


def _go(value: Any) -> str:
    """Return a value as `%v` prints it."""
    if value is None:
        return "<nil>"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return go_float(value)
    if isinstance(value, list):
        return f"[{' '.join(map(_go, value))}]"
    if isinstance(value, dict):
        return f"map[{' '.join(f'{name}:{_go(value[name])}' for name in sorted(value))}]"
    return str(value)
