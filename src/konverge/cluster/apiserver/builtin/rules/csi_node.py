"""CSI nodes: the drivers on a node, each once; what one says of itself stays, but for how much it can take."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.go_order import in_go_order
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.number_rules import nonnegative
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import qualified_name
from konverge.cluster.apiserver.repeated import repeated
from konverge.cluster.apiserver.strategy import JsonObject

_LONGEST_ID: Final = 256


def _drivers(value: JsonObject) -> list[JsonObject]:
    found: list[JsonObject] = (value.get("spec") or {}).get("drivers") or []
    return found


def _validate(value: JsonObject) -> list[FieldError]:
    errors, names = list[FieldError](), set[str]()
    for index, driver in enumerate(_drivers(value)):
        path, name = f"spec.drivers[{index}]", driver.get("name", "")
        errors += driver_name_errors(name, f"{path}.name")
        errors += _id_errors(driver.get("nodeID", ""), f"{path}.nodeID")
        errors += nonnegative(driver.get("allocatable") or {}, ("count",), f"{path}.allocatable")
        if name in names:
            errors.append(field_error.duplicate(f"{path}.name", name))
        names.add(name)
        errors += _key_errors(driver.get("topologyKeys") or [], path)
    return errors


def _id_errors(node: str, path: str) -> Iterator[FieldError]:
    if not node:
        yield field_error.required(path)
    if len(node.encode()) > _LONGEST_ID:
        yield field_error.invalid(path, node, f"must be {_LONGEST_ID} characters or less")


def _key_errors(keys: list[str], path: str) -> Iterator[FieldError]:
    again = repeated(keys)
    for index, key in enumerate(keys):
        if not key:
            yield field_error.required(path)
        if index in again:
            yield field_error.duplicate(path, key)
        yield from (field_error.invalid(path, key, wrong) for wrong in qualified_name(key))


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = _validate(value)
    for before in _drivers(old):
        for driver in _drivers(value):
            if driver.get("name") == before.get("name") and _lasting(driver) != _lasting(before):
                errors.append(field_error.invalid("spec.drivers", in_go_order(_lasting(driver)), "field is immutable"))
    return errors


def _lasting(driver: JsonObject) -> JsonObject:
    """Return what may not change, as the internal type spells it."""
    return {
        "Name": driver.get("name", ""),
        "NodeID": driver.get("nodeID", ""),
        "TopologyKeys": driver.get("topologyKeys") or None,
        "Allocatable": None,
    }


CSI_NODE: Final = KindRules(validate=_validate, validate_update=_validate_update)
