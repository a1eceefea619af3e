"""The pods of a Service: which of them have an address to give, at which port, under which name."""

from __future__ import annotations

import ipaddress
from typing import Any, Final

import konverge as kv
from konverge.cluster.controllers.pod_state import is_terminal, ready_condition
from konverge.controller.event import Event, UpdateEvent
from konverge.models import core_v1

HEADLESS: Final = "service.kubernetes.io/headless"
BATCH: Final = 0.01  # seconds before a look at a service: many pods that change at once are one look, not many
CHANGED_AT: Final = "endpoints.kubernetes.io/last-change-trigger-time"


def has_backends(service: core_v1.Service) -> bool:
    """Whether the addresses of a service are for the controllers to find: not without a selector, and not outside."""
    return service.spec.type != "ExternalName" and service.spec.selector is not None


def is_headless(service: core_v1.Service) -> bool:
    """Whether a service has no address of its own."""
    return service.spec.cluster_ip in (None, "", "None")


def is_listed(pod: core_v1.Pod, *, terminating: bool) -> bool:
    """Whether a pod has its place among the endpoints; `terminating`: also while it ends."""
    if is_terminal(pod) or not pod.status.pod_ips:
        return False
    return terminating or pod.metadata.deletion_timestamp is None


def addresses_of(pod: core_v1.Pod, family: str) -> list[str]:
    """Return the addresses of a pod in a family, `IPv4` or `IPv6`."""
    version = 6 if family == "IPv6" else 4
    found = (ipaddress.ip_address(each.ip) for each in pod.status.pod_ips or () if each.ip)
    return [str(address) for address in found if address.version == version]


def hostname_of(pod: core_v1.Pod, service: core_v1.Service) -> str | None:
    """Return the name of a pod within a service, if it was given one."""
    return pod.spec.hostname if pod.spec.hostname and pod.spec.subdomain == service.metadata.name else None


def port_of(pod: core_v1.Pod, port: core_v1.ServicePort) -> int | None:
    """Return the port of a pod that a port of a service leads to; None where it names one that the pod has not."""
    target = port.target_port if port.target_port is not None else port.port
    if isinstance(target, int):
        return target
    sidecars = [each for each in pod.spec.init_containers or () if each.restart_policy == "Always"]
    for container in (*pod.spec.containers, *sidecars):
        for each in container.ports or ():
            if each.name == target and (each.protocol or "TCP") == (port.protocol or "TCP"):
                return each.container_port
    return None


async def pods_of(client: kv.Client, service: core_v1.Service) -> list[core_v1.Pod]:
    """Return the pods that a service selects."""
    return list(
        await client.list(core_v1.Pod, namespace=service.metadata.namespace, labels=service.spec.selector or {})
    )


class EnqueueServices:
    """Asks for each service that selects a pod, or did before its labels changed.

    Not if nothing changed that endpoints tell of: each look at a service costs as much as it has pods.
    """

    def __init__(self, client: kv.Client) -> None:
        self._client = client

    async def requests(self, event: Event[Any]) -> list[kv.Request]:
        """Return the services that the event concerns."""
        states = [event.metadata.labels]
        if isinstance(event, UpdateEvent):
            before, after = event.old, event.new
            if told_of(before) == told_of(after):
                return []
            states.append(before.metadata.labels)
        services = await self._client.list(core_v1.Service, namespace=event.key.namespace)
        concerned = [each for each in services if any(_selects(each, labels) for labels in states)]
        return [kv.Request.of(each.metadata) for each in concerned]

    def __repr__(self) -> str:
        return "EnqueueServices()"


def told_of(pod: core_v1.Pod) -> tuple[object, ...]:
    """Return all that endpoints may tell of a pod; what else of it changes is no concern of theirs."""
    ready, addresses = ready_condition(pod), [each.ip for each in pod.status.pod_ips or ()]
    state = (ready and (ready.status, ready.last_transition_time), addresses, is_terminal(pod))
    going = pod.metadata.deletion_timestamp is not None
    return (pod.metadata.labels, going, state, pod.spec.node_name, pod.spec.hostname, pod.spec.subdomain)


def _selects(service: core_v1.Service, labels: dict[str, str] | None) -> bool:
    wanted = service.spec.selector
    return wanted is not None and all((labels or {}).get(key) == value for key, value in wanted.items())
