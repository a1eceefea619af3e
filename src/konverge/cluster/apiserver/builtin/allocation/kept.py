"""What an update of a service keeps of what was given out before, where its author says nothing of it."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject

_WITH_PORTS: Final = ("NodePort", "LoadBalancer")


def keep_given(spec: JsonObject, old: JsonObject) -> None:
    """Keep addresses and ports, so that the manifest that made a service can be sent once more."""
    if spec.get("type") != "ExternalName" and old.get("type") != "ExternalName":
        for name in ("clusterIP", "clusterIPs"):
            if not spec.get(name) and old.get(name):
                spec[name] = old[name]
    if has_node_ports(spec) and has_node_ports(old):
        _keep_node_ports(spec, old)
    if has_health_port(spec) and has_health_port(old) and not spec.get("healthCheckNodePort"):
        spec["healthCheckNodePort"] = old["healthCheckNodePort"]


def has_node_ports(spec: JsonObject) -> bool:
    """Whether a service is given node ports."""
    wants = spec.get("allocateLoadBalancerNodePorts", True)
    return spec.get("type") == "NodePort" or (spec.get("type") == "LoadBalancer" and wants)


def has_health_port(spec: JsonObject) -> bool:
    """Whether a service has a port for health checks."""
    return spec.get("type") == "LoadBalancer" and spec.get("externalTrafficPolicy") == "Local"


def _keep_node_ports(spec: JsonObject, old: JsonObject) -> None:
    given = {port.get("name", ""): port.get("nodePort", 0) for port in old.get("ports", ())}
    asked = [port["nodePort"] for port in spec.get("ports", ()) if port.get("nodePort")]
    for port in spec.get("ports", ()):
        number = given.get(port.get("name", ""), 0)
        if not port.get("nodePort") and number and number not in asked:
            port["nodePort"] = number


def match_cluster_ips(spec: JsonObject, old: JsonObject | None) -> None:
    """Bring the one address that services had once and the several that they have now into agreement."""
    one, several = spec.get("clusterIP", ""), spec.get("clusterIPs", [])
    if old is None:
        if one and not several:
            spec["clusterIPs"] = [one]
        return
    before = old.get("clusterIP", "")
    if one == before or several != old.get("clusterIPs", []):
        return
    if one:
        spec["clusterIPs"] = [one]
    else:
        spec.pop("clusterIPs", None)


def drop_of_other_type(value: JsonObject, old: JsonObject) -> None:
    """Drop what only a service of the old type had, where the author left it as it was."""
    spec, before = value["spec"], old["spec"]
    if before["type"] != "ExternalName" and spec["type"] == "ExternalName":
        _drop_addresses(spec, before)
    if before["type"] in _WITH_PORTS and spec["type"] not in _WITH_PORTS and _has_no_new_ports(spec, before):
        for port in spec.get("ports", ()):
            port.pop("nodePort", None)
    if has_health_port(before) and not has_health_port(spec):
        _drop_same(spec, before, "healthCheckNodePort")
    if before["type"] == "LoadBalancer" and spec["type"] != "LoadBalancer":
        _drop_same(spec, before, "allocateLoadBalancerNodePorts")
        _drop_same(spec, before, "loadBalancerClass")
    if _is_reachable(before) and not _is_reachable(spec):
        _drop_same(spec, before, "externalTrafficPolicy")
    if spec["type"] != "LoadBalancer":
        value["status"] = {**value.get("status", {}), "loadBalancer": {}}


def _drop_addresses(spec: JsonObject, before: JsonObject) -> None:
    if all(spec.get(name) == before.get(name) for name in ("clusterIP", "clusterIPs")):
        spec.pop("clusterIP", None)
        spec.pop("clusterIPs", None)
    _drop_same(spec, before, "ipFamilies")
    _drop_same(spec, before, "ipFamilyPolicy")


def _drop_same(spec: JsonObject, before: JsonObject, name: str) -> None:
    if name in spec and spec[name] == before.get(name):
        del spec[name]


def _has_no_new_ports(spec: JsonObject, before: JsonObject) -> bool:
    known = [port.get("nodePort", 0) for port in before.get("ports", ())]
    return all(port.get("nodePort", 0) in (0, *known) for port in spec.get("ports", ()))


def _is_reachable(spec: JsonObject) -> bool:
    return spec["type"] in _WITH_PORTS or (spec["type"] == "ClusterIP" and bool(spec.get("externalIPs")))
