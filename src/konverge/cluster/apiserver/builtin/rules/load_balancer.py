"""Load balancers in front of services: what only a service with one may say, and what its status may."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.address import address_errors, range_errors, read_address
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_ONLY: Final = "may only be used when `type` is 'LoadBalancer'"
_RANGES: Final = "service.beta.kubernetes.io/load-balancer-source-ranges"
_MODES: Final = ("Proxy", "VIP")


def balancer_errors(value: JsonObject, old: JsonObject | None) -> list[FieldError]:
    """Judge what a service says of its balancer."""
    spec = value["spec"]
    errors = _range_errors(value, old)
    wanted = spec.get("allocateLoadBalancerNodePorts")
    if wanted is not None and spec.get("type") != "LoadBalancer":
        errors.append(field_error.forbidden("spec.allocateLoadBalancerNodePorts", _ONLY))
    if wanted is None and spec.get("type") == "LoadBalancer":
        errors.append(field_error.required("allocateLoadBalancerNodePorts"))
    return errors + class_errors(spec)


def _range_errors(value: JsonObject, old: JsonObject | None) -> list[FieldError]:
    ranges = value["spec"].get("loadBalancerSourceRanges")
    path = "spec.LoadBalancerSourceRanges" if ranges else f"metadata.annotations[{_RANGES}]"
    written = value["metadata"].get("annotations", {}).get(_RANGES)
    if not ranges and written is None:
        return []
    errors = [] if value["spec"].get("type") == "LoadBalancer" else [field_error.forbidden(path, _ONLY)]
    if ranges:
        kept = [text.strip() for text in (old or value)["spec"].get("loadBalancerSourceRanges") or ()] if old else []
        return errors + _listed_range_errors(ranges, path, kept)
    if old is not None and old["metadata"].get("annotations", {}).get(_RANGES) == written:
        return errors
    several = written.strip().split(",") if written.strip() else []
    return errors + [error for text in several for error in range_errors(text.strip(), path)]


def _listed_range_errors(ranges: Sequence[str], path: str, kept: Sequence[str]) -> list[FieldError]:
    errors = []
    for index, text in enumerate(ranges):
        errors += range_errors(text.strip(), f"{path}[{index}]", kept)
    return errors


def class_errors(spec: JsonObject) -> list[FieldError]:
    """Judge the class of the balancer."""
    path, name = "spec.loadBalancerClass", spec.get("loadBalancerClass")
    if name is None:
        return []
    if spec.get("type") != "LoadBalancer":
        return [field_error.forbidden(path, _ONLY)]
    return [field_error.invalid(path, name, wrong) for wrong in name_rules.qualified_name(name)]


def changed_balancer_errors(spec: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge a change of the class: it comes and goes with the type."""
    name = spec.get("loadBalancerClass")
    if spec.get("type") != "LoadBalancer" or old.get("type") != "LoadBalancer" or name == old.get("loadBalancerClass"):
        return []
    return [field_error.invalid("spec.loadBalancerClass", name, "may not change once set")]


def status_errors(value: JsonObject, old: JsonObject) -> list[FieldError]:
    """Judge where a balancer is said to be."""
    path, points = "status.loadBalancer.ingress", _points(value)
    if value["spec"].get("type") != "LoadBalancer" and points:
        return [field_error.forbidden(path, "may only be used when `spec.type` is 'LoadBalancer'")]
    kept = [point["ip"] for point in _points(old) if point.get("ip")]
    errors = []
    for index, point in enumerate(points):
        errors += _point_errors(point, f"{path}[{index}]", kept)
        errors += host_errors(point.get("hostname", ""), f"{path}[{index}].hostname")
    return errors


def _points(value: JsonObject) -> Sequence[JsonObject]:
    found: Sequence[JsonObject] | None = value.get("status", {}).get("loadBalancer", {}).get("ingress")
    return found or ()


def _point_errors(point: JsonObject, path: str, kept: Sequence[str]) -> list[FieldError]:
    text, mode, path_of_mode = point.get("ip", ""), point.get("ipMode"), f"{path}.ipMode"
    errors = address_errors(text, f"{path}.ip", kept) if text else []
    if mode is None:
        needed = "must be specified when `ip` is set"
        return [*errors, field_error.required(path_of_mode, needed)] if text else errors
    if not text:
        return [*errors, field_error.forbidden(path_of_mode, "may not be specified when `ip` is not set")]
    return errors if mode in _MODES else [*errors, field_error.not_supported(path_of_mode, mode, _MODES)]


def host_errors(host: str, path: str) -> list[FieldError]:
    """Judge a name that is no address."""
    if not host:
        return []
    errors = [field_error.invalid(path, host, wrong) for wrong in name_rules.dns_subdomain(host)]
    if read_address(host) is not None:
        errors.append(field_error.invalid(path, host, "must be a DNS name, not an IP address"))
    return errors
