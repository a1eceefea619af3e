"""What every cluster has from its first moment: the built-in kinds, and the objects of the system."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import Any, Final

import msgspec

from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.allocation.cluster_ips import SERVICE_RANGE, first_address
from konverge.cluster.apiserver.builtin.loopback_endpoints import strategy_with_loopback
from konverge.cluster.apiserver.builtin.strategy import strategy_of
from konverge.cluster.apiserver.exchange import JSON, Answer, Peer, Request, Response
from konverge.cluster.apiserver.resource import Resources

_log = logging.getLogger(__name__)
Handle = Callable[[Request], Awaitable[Answer]]

_FOUND: Final = 200
_DONE: Final = (200, 201)
_NAMESPACES: Final = ("default", "kube-node-lease", "kube-public", "kube-system")
_PRIORITIES: Final = (
    (
        "system-node-critical",
        2_000_001_000,
        "Used for system critical pods that must not be moved from their current node.",
    ),
    (
        "system-cluster-critical",
        2_000_000_000,
        "Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.",
    ),
)
_RANGES: Final = "/apis/networking.k8s.io/v1/servicecidrs"


def builtin_resources(*, loopback_endpoints: bool = False) -> Resources:
    """Return the kinds that are served before anyone has defined one."""
    resources = Resources()
    for resource in catalogue.resources(strategy_with_loopback if loopback_endpoints else strategy_of):
        group = catalogue.storage_group(resource.group, resource.plural)
        resources.add(resource if group == resource.group else replace(resource, storage_group=group))
    return resources


async def make_system_objects(handle: Handle, *, service_range: str = SERVICE_RANGE) -> None:
    """Make the namespaces of the system, its priority classes, and its own service, where they are not there yet."""
    for name in _NAMESPACES:
        await _make(handle, "/api/v1/namespaces", {"metadata": {"name": name}})
    for name, value, description in _PRIORITIES:
        body = {"metadata": {"name": name}, "value": value, "description": description}
        await _make(handle, "/apis/scheduling.k8s.io/v1/priorityclasses", body)
    if await _make(handle, _RANGES, {"metadata": {"name": "kubernetes"}, "spec": {"cidrs": [service_range]}}):
        await _send(handle, "PATCH", f"{_RANGES}/kubernetes/status", _ready())
    await _make(handle, "/api/v1/namespaces/default/services", _service(service_range))
    await _make(handle, "/api/v1/namespaces/kube-system/configmaps", _tracking())


def _service(service_range: str) -> dict[str, Any]:
    """Return the server's own service, which has the first address of the range."""
    return {
        "metadata": {"name": "kubernetes", "labels": {"component": "apiserver", "provider": "kubernetes"}},
        "spec": {
            "ports": [{"name": "https", "port": 443, "targetPort": 6443}],
            "clusterIP": first_address(service_range),
            "ipFamilyPolicy": "SingleStack",
        },
    }


def _tracking() -> dict[str, Any]:
    """Return what says since when the use of tokens in secrets is noted on them."""
    name = "kube-apiserver-legacy-service-account-token-tracking"
    return {"metadata": {"name": name}, "data": {"since": now().strftime("%Y-%m-%d")}}


def _ready() -> dict[str, Any]:
    """Return the configuration that says of the range of services that it is in use."""
    condition = {
        "type": "Ready",
        "status": "True",
        "lastTransitionTime": format_time(now()),
        "message": "Kubernetes default Service CIDR is ready",
    }
    kind = {"apiVersion": "networking.k8s.io/v1", "kind": "ServiceCIDR", "metadata": {"name": "kubernetes"}}
    return {**kind, "status": {"conditions": [condition]}}


async def _make(handle: Handle, path: str, value: dict[str, Any]) -> bool:
    """Create an object; return whether it was not there yet."""
    answer = await handle(Request(method="GET", path=f"{path}/{value['metadata']['name']}", peer=Peer(is_trusted=True)))
    if answer.status == _FOUND:
        return False
    await _send(handle, "POST", path, value)
    return True


async def _send(handle: Handle, method: str, path: str, value: dict[str, Any]) -> None:
    is_apply = method == "PATCH"
    headers = {"content-type": "application/apply-patch+yaml" if is_apply else JSON, "user-agent": "kube-apiserver"}
    query = (("fieldManager", "kubernetes-service-cidr-controller"), ("force", "true")) if is_apply else ()
    body = msgspec.json.encode(value)
    request = Request(method=method, path=path, query=query, headers=headers, body=body, peer=Peer(is_trusted=True))
    answer = await handle(request)
    if answer.status not in _DONE:
        # A webhook or a policy may be in the way. The server starts, so that someone can take it away.
        why = answer.body.decode() if isinstance(answer, Response) else ""
        _log.error("%s %s did not make what every cluster has: %s %s", method, path, answer.status, why)
