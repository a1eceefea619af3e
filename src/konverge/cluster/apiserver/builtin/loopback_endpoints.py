"""EndpointSlices and Endpoints with loopback addresses, which the real server refuses; for a node of processes.

Its pods have no other addresses: they are processes of this machine. Off unless it is asked for.
"""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.catalogue import ApiResource
from konverge.cluster.apiserver.builtin.rules.address import IN_LOOPBACK
from konverge.cluster.apiserver.builtin.strategy import BuiltinStrategy, strategy_of
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject, Strategy

_RELAXED: Final = (("discovery.k8s.io", "endpointslices"), ("", "endpoints"))


class LoopbackStrategy(BuiltinStrategy):
    """Judges an object by all rules of its kind but one."""

    def validate(self, value: JsonObject) -> list[FieldError]:
        """Judge a new object."""
        return _relaxed(super().validate(value))

    def validate_update(self, value: JsonObject, old: JsonObject, *, subresource: str = "") -> list[FieldError]:
        """Judge an object that replaces another."""
        return _relaxed(super().validate_update(value, old, subresource=subresource))


def _relaxed(errors: list[FieldError]) -> list[FieldError]:
    return [error for error in errors if error.detail != IN_LOOPBACK]


def strategy_with_loopback(group: str, version: str, resource: ApiResource) -> Strategy:
    """Return the strategy of a built-in resource, with this rule relaxed."""
    if (group, resource.name) in _RELAXED:
        return LoopbackStrategy(group, version, resource.kind)
    return strategy_of(group, version, resource)
