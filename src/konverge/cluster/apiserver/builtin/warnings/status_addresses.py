"""Warnings of addresses in a status, which a controller writes."""

from __future__ import annotations

from konverge.cluster.apiserver.builtin.warnings.addresses import address_warnings
from konverge.cluster.apiserver.strategy import JsonObject


def pod_address_warnings(status: JsonObject) -> list[str]:
    """Warn of the addresses of a pod and of its host."""
    return [
        warning
        for name in ("podIPs", "hostIPs")
        for index, each in enumerate(status.get(name) or ())
        for warning in address_warnings(f"status.{name}[{index}].ip", each.get("ip", ""))
    ]


def balancer_warnings(status: JsonObject) -> list[str]:
    """Warn of the addresses of a load balancer."""
    points = (status.get("loadBalancer") or {}).get("ingress") or ()
    return [
        warning
        for index, point in enumerate(points)
        for warning in address_warnings(f"status.loadBalancer.ingress[{index}]", point.get("ip", ""))
    ]
