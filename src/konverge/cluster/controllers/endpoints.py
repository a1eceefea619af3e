"""Endpoints: the older form of what EndpointSlices say, one object for a Service, for those who still read it."""

from __future__ import annotations

import asyncio
import ipaddress
from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.change_times import ChangeTimes
from konverge.cluster.controllers.endpoint_subsets import Backend, subsets_of
from konverge.cluster.controllers.pod_state import is_ready
from konverge.cluster.controllers.service_pods import (
    BATCH,
    CHANGED_AT,
    HEADLESS,
    EnqueueServices,
    addresses_of,
    has_backends,
    hostname_of,
    is_headless,
    is_listed,
    pods_of,
    port_of,
)
from konverge.errors import Forbidden
from konverge.manager import Manager
from konverge.models import core_v1

_WORKERS: Final = 5
_MANAGED_BY: Final = "endpoints.kubernetes.io/managed-by"
_MANAGER: Final = "endpoint-controller"
_OWN: Final = (HEADLESS, _MANAGED_BY)
_OVER: Final = "endpoints.kubernetes.io/over-capacity"
_MOST: Final = 1000  # addresses in one object
_NOTED: Final = (CHANGED_AT, _OVER)


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        kv.new_controller(manager)
        .named("endpoints-controller")
        .for_(core_v1.Service)
        .watches(core_v1.Pod, EnqueueServices(manager.client))
        .watches(core_v1.Endpoints, lambda endpoints: [kv.Request.of(endpoints.metadata)])
        .with_options(max_concurrent_reconciles=_WORKERS)
        .complete(EndpointsReconciler())
    )


class EndpointsReconciler:
    """Reconciles the Endpoints of Services that select pods."""

    def __init__(self) -> None:
        self._times = ChangeTimes()
        # Services that were there: their Endpoints go with them, while others may stand on their own.
        self._known: set[kv.Request] = set()

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
        """Write the endpoints if they differ; they go with their service."""
        await asyncio.sleep(BATCH)
        service = await ignore_not_found(ctx.client.get(core_v1.Service, request))
        found = await ignore_not_found(ctx.client.get(core_v1.Endpoints, request))
        if service is None:
            await self._end(ctx, request, found)
            return
        self._known.add(request)
        if not has_backends(service):
            return
        pods = await pods_of(ctx.client, service)
        at = self._times.newest(request, service, pods)
        wanted, is_over = _within_capacity(subsets_of(_backends(service, pods)))
        if found is None or (found.subsets or []) != wanted or not _has_labels(found, service):
            await _write(ctx.client, service, found, subsets=wanted, notes=_notes(at, is_over=is_over))

    async def _end(self, ctx: kv.Context, request: kv.Request, found: core_v1.Endpoints | None) -> None:
        """Delete what belonged to a service that is gone."""
        self._times.forget(request)
        if found is not None and (request in self._known or _is_ours(found)):
            await ignore_not_found(ctx.client.delete(found))
        self._known.discard(request)


def _is_ours(endpoints: core_v1.Endpoints) -> bool:
    return (endpoints.metadata.labels or {}).get(_MANAGED_BY) == _MANAGER


async def _write(
    client: kv.Client,
    service: core_v1.Service,
    found: core_v1.Endpoints | None,
    *,
    subsets: list[core_v1.EndpointSubset],
    notes: dict[str, str],
) -> None:
    metadata = kv.ObjectMeta(name=service.metadata.name, namespace=service.metadata.namespace)
    endpoints = found or core_v1.Endpoints(metadata=metadata)
    others = {key: value for key, value in (endpoints.metadata.annotations or {}).items() if key not in _NOTED}
    endpoints.metadata.annotations = {**others, **notes} or None
    endpoints.metadata.labels = _labels(service)
    endpoints.subsets = subsets
    if found is not None:
        await client.update(endpoints)
        return
    try:
        await client.create(endpoints)
    except Forbidden:  # as a rule the namespace is on its way out; else the next look tells again
        if not await _is_ending(client, service.metadata.namespace):
            raise


async def _is_ending(client: kv.Client, namespace: str | None) -> bool:
    found = await ignore_not_found(client.get(core_v1.Namespace, namespace or ""))
    return found is None or found.metadata.deletion_timestamp is not None


def _backends(service: core_v1.Service, pods: list[core_v1.Pod]) -> list[Backend]:
    """Return each port of each pod with what its address is; a headless service may have no ports at all."""
    publishes = bool(service.spec.publish_not_ready_addresses)
    backends = []
    for pod in pods:
        address = _address(service, pod)
        if address is None or not is_listed(pod, terminating=publishes):
            continue
        ready = publishes or is_ready(pod)
        backends += [Backend(address, port, is_ready=ready) for port in _ports(service, pod)]
    return backends


def _ports(service: core_v1.Service, pod: core_v1.Pod) -> list[core_v1.EndpointPort | None]:
    if not service.spec.ports:
        return [None] if is_headless(service) else []
    return [
        core_v1.EndpointPort(
            name=port.name, port=number, protocol=port.protocol or "TCP", app_protocol=port.app_protocol
        )
        for port in service.spec.ports
        if (number := port_of(pod, port)) is not None
    ]


def _address(service: core_v1.Service, pod: core_v1.Pod) -> core_v1.EndpointAddress | None:
    families = service.spec.ip_families or ["IPv4"]
    found = addresses_of(pod, families[0])
    if not found:
        return None
    return core_v1.EndpointAddress(
        ip=str(ipaddress.ip_address(found[0])),
        hostname=hostname_of(pod, service),
        node_name=pod.spec.node_name or None,
        target_ref=core_v1.ObjectReference(
            kind="Pod", namespace=pod.metadata.namespace, name=pod.metadata.name, uid=pod.metadata.uid
        ),
    )


def _within_capacity(subsets: list[core_v1.EndpointSubset]) -> tuple[list[core_v1.EndpointSubset], bool]:
    """Cut what is too much for one object, those that are not ready first."""
    total = sum(len(each.addresses or ()) + len(each.not_ready_addresses or ()) for each in subsets)
    if total <= _MOST:
        return subsets, False
    room = _MOST
    for field in ("addresses", "not_ready_addresses"):
        for subset in subsets:
            kept = (getattr(subset, field) or [])[:room]
            room -= len(kept)
            setattr(subset, field, kept or None)
    return [each for each in subsets if each.addresses or each.not_ready_addresses], True


def _labels(service: core_v1.Service) -> dict[str, str]:
    headless = {HEADLESS: ""} if is_headless(service) else {}
    own = {key: value for key, value in (service.metadata.labels or {}).items() if key not in _OWN}
    return {**own, **headless, _MANAGED_BY: _MANAGER}


def _has_labels(endpoints: core_v1.Endpoints, service: core_v1.Service) -> bool:
    return (endpoints.metadata.labels or {}) == _labels(service)


def _notes(at: str | None, *, is_over: bool) -> dict[str, str]:
    return {**({CHANGED_AT: at} if at else {}), **({_OVER: "truncated"} if is_over else {})}
