"""Kinds of the core group, without pods, volumes and events."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import (
    NONE,
    Cells,
    Printer,
    age_of,
    below,
    containers_of,
    labels_text,
    listed,
    name_of,
    or_none,
    quantity_text,
    shortened,
)

_ROLE_PREFIX: Final = "node-role.kubernetes.io/"
_ROLE: Final = "kubernetes.io/role"
_UNKNOWN: Final = "<unknown>"


def _component_status(value: JsonObject) -> Cells:
    conditions = listed(value, "conditions")
    found = next((condition for condition in conditions if condition.get("type") == "Healthy"), None)
    if found is None:
        return [name_of(value), "Unknown", "", ""]
    status = "Healthy" if found.get("status") == "True" else "Unhealthy"
    return [name_of(value), status, found.get("message", ""), found.get("error", "")]


def _config_map(value: JsonObject) -> Cells:
    return [name_of(value), len(below(value, "data")) + len(below(value, "binaryData")), age_of(value)]


def _endpoints(value: JsonObject) -> Cells:
    return [name_of(value), _addresses(listed(value, "subsets")), age_of(value)]


def _addresses(subsets: list[JsonObject]) -> str:
    if not subsets:
        return NONE
    shown: list[str] = []
    for subset in subsets:
        ips = [address.get("ip", "") for address in listed(subset, "addresses")]
        ports = listed(subset, "ports")
        shown += [_host_port(ip, port.get("port", 0)) for port in ports for ip in ips] if ports else ips
    return shortened(shown)


def _host_port(host: str, port: int) -> str:
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"


def _namespace(value: JsonObject) -> Cells:
    return [name_of(value), below(value, "status").get("phase", ""), age_of(value)]


def _node(value: JsonObject) -> Cells:
    info = below(value, "status", "nodeInfo")
    kernel = info.get("kernelVersion") or _UNKNOWN
    if info.get("architecture"):
        kernel += f" ({info['architecture']})"
    return [
        name_of(value),
        _node_status(value),
        ",".join(_roles(value)) or NONE,
        age_of(value),
        info.get("kubeletVersion", ""),
        _node_address(value, "InternalIP"),
        _node_address(value, "ExternalIP"),
        info.get("osImage") or _UNKNOWN,
        kernel,
        info.get("containerRuntimeVersion") or _UNKNOWN,
    ]


def _node_status(value: JsonObject) -> str:
    conditions = {condition.get("type"): condition for condition in listed(value, "status", "conditions")}
    status = "Unknown"
    if "Ready" in conditions:
        status = "Ready" if conditions["Ready"].get("status") == "True" else "NotReady"
    return f"{status},SchedulingDisabled" if below(value, "spec").get("unschedulable") else status


def _roles(value: JsonObject) -> list[str]:
    labels = below(value, "metadata", "labels")
    found = [name.removeprefix(_ROLE_PREFIX) for name in labels if name.startswith(_ROLE_PREFIX)]
    return sorted(dict.fromkeys(role for role in (*found, labels.get(_ROLE, "")) if role))


def _node_address(value: JsonObject, kind: str) -> str:
    addresses = listed(value, "status", "addresses")
    return next((address.get("address", "") for address in addresses if address.get("type") == kind), NONE)


def _pod_template(value: JsonObject) -> Cells:
    template = below(value, "template")
    labels = below(template, "metadata").get("labels")
    return [name_of(value), *containers_of(template), labels_text(labels)]


def _replication_controller(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    return [
        name_of(value),
        spec.get("replicas") or 0,
        status.get("replicas", 0),
        status.get("readyReplicas", 0),
        age_of(value),
        *containers_of(below(spec, "template")),
        labels_text(spec.get("selector")),
    ]


def _resource_quota(value: JsonObject) -> Cells:
    hard, used = below(value, "status", "hard"), below(value, "status", "used")
    requests: list[str] = []
    limits: list[str] = []
    for name in sorted(hard):
        shown = f"{name}: {quantity_text(used.get(name))}/{quantity_text(hard[name])}"
        (limits if name.startswith("limits.") else requests).append(shown)
    return [name_of(value), ", ".join(requests), ", ".join(limits), age_of(value)]


def _secret(value: JsonObject) -> Cells:
    return [name_of(value), value.get("type", ""), len(below(value, "data")), age_of(value)]


def _service_account(value: JsonObject) -> Cells:
    return [name_of(value), age_of(value)]


def _service(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    addresses = listed(spec, "clusterIPs") or [spec.get("clusterIP")]
    return [
        name_of(value),
        spec.get("type", ""),
        or_none(addresses[0]),
        _external_ip(spec, value),
        or_none(",".join(map(_port, listed(spec, "ports")))),
        age_of(value),
        labels_text(spec.get("selector")),
    ]


def _external_ip(spec: JsonObject, value: JsonObject) -> str:
    external = listed(spec, "externalIPs")
    match spec.get("type"):
        case "ClusterIP" | "NodePort":
            return or_none(",".join(external))
        case "LoadBalancer":
            return ",".join((*ingress_points(value), *external)) or "<pending>"
        case "ExternalName":
            return str(spec.get("externalName", ""))
    return _UNKNOWN


def ingress_points(value: JsonObject) -> list[str]:
    """Return where a load balancer is reached, in order."""
    found = (point.get("ip") or point.get("hostname") for point in listed(value, "status", "loadBalancer", "ingress"))
    return sorted(dict.fromkeys(point for point in found if point))


def _port(port: JsonObject) -> str:
    number, protocol = port.get("port", 0), port.get("protocol", "")
    return f"{number}:{port['nodePort']}/{protocol}" if port.get("nodePort") else f"{number}/{protocol}"


PRINTERS: Final[dict[str, Printer]] = {
    "ComponentStatus": _component_status,
    "ConfigMap": _config_map,
    "Endpoints": _endpoints,
    "Namespace": _namespace,
    "Node": _node,
    "PodTemplate": _pod_template,
    "ReplicationController": _replication_controller,
    "ResourceQuota": _resource_quota,
    "Secret": _secret,
    "ServiceAccount": _service_account,
    "Service": _service,
}
