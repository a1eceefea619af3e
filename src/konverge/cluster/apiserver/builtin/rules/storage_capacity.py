"""CSI storage capacities: of which class, and where; both stay."""

from __future__ import annotations

from typing import Final

from konverge.api.json_value import json_equal
from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_selector import selector_errors
from konverge.cluster.apiserver.builtin.rules.workload_selector import shown
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_FIXED: Final = "field is immutable"


def _validate(value: JsonObject) -> list[FieldError]:
    storage_class, capacity = value.get("storageClassName", ""), value.get("capacity")
    errors = selector_errors(value.get("nodeTopology"), "nodeTopology")
    wrongs = name_rules.dns_subdomain(storage_class)
    errors += [field_error.invalid("storageClassName", storage_class, wrong) for wrong in wrongs]
    if capacity is not None and Quantity(capacity) < Quantity(0):
        errors.append(field_error.invalid("capacity", capacity, "must be greater than or equal to 0"))
    return errors


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:  # noqa: ARG001 - it has no subresource
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=True) + _validate(value)
    if not json_equal(value.get("nodeTopology"), old.get("nodeTopology")):
        errors.append(field_error.invalid("nodeTopology", shown(value.get("nodeTopology")), _FIXED))
    if value.get("storageClassName", "") != old.get("storageClassName", ""):
        errors.append(field_error.invalid("storageClassName", value.get("storageClassName", ""), _FIXED))
    return errors


STORAGE_CAPACITY: Final = KindRules(validate=_validate, validate_update=_validate_update)
