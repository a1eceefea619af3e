"""Defaults of services. Addresses and node ports are no defaults: `rules.service` gives them out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default
from konverge.cluster.apiserver.strategy import JsonObject

_AFFINITY_SECONDS: Final = 3 * 60 * 60
_REACHABLE: Final = ("LoadBalancer", "NodePort")


def _service(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    if not spec.get("type"):
        spec["type"] = "ClusterIP"
    _affinity(spec)
    for port in spec.get("ports", ()):
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port", 0)
    _traffic(spec)
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)
        for ingress in value.get("status", {}).get("loadBalancer", {}).get("ingress", ()):
            if ingress.get("ip"):
                ingress.setdefault("ipMode", "VIP")


def _affinity(spec: JsonObject) -> None:
    if not spec.get("sessionAffinity"):
        spec["sessionAffinity"] = "None"
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    elif spec["sessionAffinity"] == "ClientIP":
        config = spec.get("sessionAffinityConfig", {}).get("clientIP", {})
        if "timeoutSeconds" not in config:
            spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": _AFFINITY_SECONDS}}


def _traffic(spec: JsonObject) -> None:
    is_inside = spec["type"] == "ClusterIP"
    if not spec.get("externalTrafficPolicy") and (
        spec["type"] in _REACHABLE or (is_inside and spec.get("externalIPs"))
    ):
        spec["externalTrafficPolicy"] = "Cluster"
    if is_inside or spec["type"] in _REACHABLE:
        spec.setdefault("internalTrafficPolicy", "Cluster")


DEFAULTS: Final[Mapping[str, Default]] = {"Service": _service}
