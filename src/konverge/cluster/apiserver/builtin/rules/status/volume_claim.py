"""The status of a claim: how much it has, and how far its growth has come."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.resource_name import is_native
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_STATES: Final = (
    *("ControllerResizeInProgress", "ControllerResizeInfeasible"),
    *("NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"),
)


def claim_status_errors(status: JsonObject) -> Iterator[FieldError]:
    """Judge the amounts of a claim and the states of its growth."""
    for name, amount in (status.get("capacity") or {}).items():
        yield from _amount_errors(amount, f"status.capacity[{name}]")
    path = "status.allocatedResourceStatuses"
    for name, state in (status.get("allocatedResourceStatuses") or {}).items():
        yield from _name_errors(name, path)
        if state not in _STATES:
            yield field_error.not_supported(path, name, _STATES)
    for name, amount in (status.get("allocatedResources") or {}).items():
        wrong = list(_name_errors(name, "status.allocatedResources"))
        yield from wrong or _amount_errors(amount, f"status.allocatedResources[{name}]")


def _amount_errors(amount: str, path: str) -> Iterator[FieldError]:
    if (value := Quantity(amount).value()) < 0:
        yield field_error.invalid(path, value, "must be a valid resource quantity")


def _name_errors(name: str, path: str) -> Iterator[FieldError]:
    wrong = qualified_name(name)
    yield from (field_error.invalid(path, name, text) for text in wrong)
    if not wrong and is_native(name) and name != "storage":
        yield field_error.not_supported(path, name, ("storage",))
