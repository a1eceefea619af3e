"""Defaults of pods, their templates and their containers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, texts
from konverge.cluster.apiserver.builtin.defaults.image import pull_policy
from konverge.cluster.apiserver.builtin.defaults.pod_resources import default_pod_resources
from konverge.cluster.apiserver.strategy import JsonObject

_GRACE: Final = 30  # seconds
_PROBE: Final = {"timeoutSeconds": 1, "periodSeconds": 10, "successThreshold": 1, "failureThreshold": 3}


def _pod(value: JsonObject) -> None:
    """What a pod has and its template has not: requests by limits, host ports, links to services."""
    spec = value.setdefault("spec", {})
    for container in _containers(spec):
        resources = container.get("resources", {})
        if limits := resources.get("limits"):
            resources["requests"] = {**limits, **resources.get("requests", {})}
    if "resources" in spec:
        default_pod_resources(spec)
    spec.setdefault("enableServiceLinks", True)
    if spec.get("hostNetwork"):
        _open_host_ports(spec)
    if spec.get("terminationGracePeriodSeconds", 0) < 0:
        spec["terminationGracePeriodSeconds"] = 1


def _containers(spec: JsonObject) -> Iterator[JsonObject]:
    yield from spec.get("containers") or ()
    yield from spec.get("initContainers") or ()


def _open_host_ports(spec: JsonObject) -> None:
    for container in _containers(spec):
        for port in container.get("ports", ()):
            if not port.get("hostPort") and port.get("containerPort"):
                port["hostPort"] = port["containerPort"]


def _pod_spec(value: JsonObject) -> None:
    if not value.get("dnsPolicy"):
        value["dnsPolicy"] = "ClusterFirst"
    if not value.get("restartPolicy"):
        value["restartPolicy"] = "Always"
    if "securityContext" not in value:
        value["securityContext"] = {}
    if "terminationGracePeriodSeconds" not in value:
        value["terminationGracePeriodSeconds"] = _GRACE
    if not value.get("schedulerName"):
        value["schedulerName"] = "default-scheduler"
    # An old name of a field and its new one; the new one counts.
    if value.get("serviceAccountName"):
        value["serviceAccount"] = value["serviceAccountName"]
    elif value.get("serviceAccount"):
        value["serviceAccountName"] = value["serviceAccount"]


def _pod_status(value: JsonObject) -> None:
    """The one address that pods had once, and the several that they have now."""
    addresses = value.get("podIPs", ())
    if first := value.get("podIP"):
        if not addresses or addresses[0].get("ip") != first:
            value["podIPs"] = [{"ip": first}]
    elif addresses and addresses[0].get("ip"):
        value["podIP"] = addresses[0]["ip"]


def _container(value: JsonObject) -> None:
    if not value.get("imagePullPolicy"):
        value["imagePullPolicy"] = pull_policy(value.get("image", ""))
    if not value.get("terminationMessagePath"):
        value["terminationMessagePath"] = "/dev/termination-log"
    if not value.get("terminationMessagePolicy"):
        value["terminationMessagePolicy"] = "File"


def _probe(value: JsonObject) -> None:
    for name, number in _PROBE.items():
        if not value.get(name):
            value[name] = number


DEFAULTS: Final[Mapping[str, Default]] = {
    "Container": _container,
    "EphemeralContainer": _container,
    "HTTPGetAction": texts(path="/", scheme="HTTP"),
    "ObjectFieldSelector": texts(apiVersion="v1"),
    "Pod": _pod,
    "PodSpec": _pod_spec,
    "PodStatus": _pod_status,
    "Probe": _probe,
}
