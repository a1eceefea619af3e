"""Where the traffic of a service goes: from outside, from inside, and to which of its endpoints first."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.allocation.kept import has_health_port
from konverge.cluster.apiserver.builtin.rules.port import port_number
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_POLICIES: Final = ("Cluster", "Local")
_DISTRIBUTIONS: Final = ("PreferClose", "PreferSameZone", "PreferSameNode")
_OUTER: Final = "spec.externalTrafficPolicy"
_INNER: Final = "spec.internalTrafficPolicy"
_HEALTH: Final = "spec.healthCheckNodePort"
_NO_HEALTH: Final = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'"


def traffic_errors(spec: JsonObject) -> list[FieldError]:
    """Judge the policies of a service."""
    errors = _outer_errors(spec) + _health_errors(spec) + _inner_errors(spec)
    path, wanted = "spec.trafficDistribution", spec.get("trafficDistribution")
    if wanted is not None and wanted not in _DISTRIBUTIONS:
        errors.append(field_error.not_supported(path, wanted, _DISTRIBUTIONS, is_plain=True))
    return errors


def _outer_errors(spec: JsonObject) -> list[FieldError]:
    policy = spec.get("externalTrafficPolicy", "")
    if not _is_reachable(spec):
        wrong = "may only be set for externally-accessible services"
        return [field_error.invalid(_OUTER, policy, wrong)] if policy else []
    if not policy:
        return [field_error.required(_OUTER)]
    return [] if policy in _POLICIES else [field_error.not_supported(_OUTER, policy, _POLICIES)]


def _is_reachable(spec: JsonObject) -> bool:
    kind = spec.get("type", "")
    return kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and bool(spec.get("externalIPs")))


def _health_errors(spec: JsonObject) -> list[FieldError]:
    port = spec.get("healthCheckNodePort", 0)
    if not has_health_port(spec):
        return [field_error.invalid(_HEALTH, port, _NO_HEALTH)] if port else []
    if not port:
        return [field_error.required(_HEALTH)]
    return [field_error.invalid(_HEALTH, port, wrong) for wrong in port_number(port)]


def _inner_errors(spec: JsonObject) -> list[FieldError]:
    policy = spec.get("internalTrafficPolicy")
    if policy is None:
        is_needed = spec.get("type") in ("NodePort", "LoadBalancer", "ClusterIP")
        return [field_error.required(_INNER)] if is_needed else []
    return [] if policy in _POLICIES else [field_error.not_supported(_INNER, policy, _POLICIES)]


def changed_traffic_errors(spec: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge a change of the port for health checks."""
    if not has_health_port(spec) or not has_health_port(old):
        return []
    same = spec.get("healthCheckNodePort", 0) == old.get("healthCheckNodePort", 0)
    return [] if same else [field_error.forbidden(_HEALTH, "field is immutable")]
