"""EndpointSliceReconciler: keeps the slices of a Service at what its pods are."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping
from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.change_times import ChangeTimes
from konverge.cluster.controllers.endpoint_hints import hints_of
from konverge.cluster.controllers.namespace_closed import ignore_closed
from konverge.cluster.controllers.pod_state import is_ready
from konverge.cluster.controllers.port_order import rank_in_slice
from konverge.cluster.controllers.service_pods import (
    BATCH,
    CHANGED_AT,
    HEADLESS,
    addresses_of,
    has_backends,
    hostname_of,
    is_headless,
    is_listed,
    pods_of,
    port_of,
)
from konverge.cluster.controllers.slice_plan import Group, plan
from konverge.models import core_v1, discovery_v1

MANAGER: Final = "endpointslice-controller.k8s.io"
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_SERVICE: Final = "kubernetes.io/service-name"
_RESERVED: Final = (_MANAGED_BY, _SERVICE, HEADLESS)
_ZONE: Final = "topology.kubernetes.io/zone"
_MOST: Final = 100  # endpoints in a slice

Slice = discovery_v1.EndpointSlice


class EndpointSliceReconciler:
    """Reconciles the slices of Services that select pods."""

    def __init__(self) -> None:
        self._times = ChangeTimes()

    async def reconcile(self, ctx: kv.Context, request: kv.Request) -> kv.Result | None:
        """Write the slices that differ; those of a service that is gone go with it, by its owner references."""
        await asyncio.sleep(BATCH)
        service = await ignore_not_found(ctx.client.get(core_v1.Service, request))
        if service is None or service.metadata.deletion_timestamp is not None:
            self._times.forget(request)
            return None
        if not has_backends(service):
            return None
        pods = await pods_of(ctx.client, service)
        at = self._times.newest(request, service, pods)
        labels = {_SERVICE: request.name, _MANAGED_BY: MANAGER}
        existing = list(await ctx.client.list(Slice, namespace=request.namespace, labels=labels))
        nodes = {node.metadata.name or "": node for node in await ctx.client.list(core_v1.Node)}
        await self._write(ctx, service, existing, groups=_groups(service, pods, nodes), at=at)
        # A pod on a node that is not known is left out; as a rule the node's watch is a moment behind the pod's.
        unknown = any(not _is_placed(pod, service, nodes) for pod in pods if is_listed(pod, terminating=True))
        return kv.Result(requeue=True) if unknown else None

    async def _write(
        self, ctx: kv.Context, service: core_v1.Service, existing: list[Slice], *, groups: list[Group], at: str | None
    ) -> None:
        labels = _labels(service)
        own = [each for each in existing if _is_of(each, service)]
        wrong = [each.metadata.name for each in own if (each.metadata.labels or {}) != labels]
        planned = plan(groups, own, most=_MOST)
        updates = {each.metadata.name: each for each in planned.updates}
        kept = (each for each in own if each not in planned.deletes and each.metadata.name in wrong)
        updates.update({each.metadata.name: each for each in kept})
        for group in planned.creates:
            await ignore_closed(ctx.client.create(_new(service, group, labels, at)))
        for slice_ in updates.values():
            slice_.metadata.labels = labels
            slice_.metadata.annotations = _annotated(slice_.metadata.annotations, at)
            await ctx.client.update(slice_)
        strangers = [each for each in existing if not _is_of(each, service)]
        for slice_ in (*planned.deletes, *strangers):
            await ignore_not_found(ctx.client.delete(slice_))


def _is_of(slice_: Slice, service: core_v1.Service) -> bool:
    """Whether a slice is this service's, and not that of one before it that had its name and takes it along."""
    owner = kv.controller_of(slice_)
    return owner is not None and owner.uid == service.metadata.uid


def _is_placed(pod: core_v1.Pod, service: core_v1.Service, nodes: Mapping[str, core_v1.Node]) -> bool:
    return bool(service.spec.publish_not_ready_addresses) or (pod.spec.node_name or "") in nodes


def _groups(service: core_v1.Service, pods: Iterable[core_v1.Pod], nodes: Mapping[str, core_v1.Node]) -> list[Group]:
    """Return what the slices are to hold; where a family has nothing, an empty slice says so."""
    groups: list[Group] = []
    for family in service.spec.ip_families or ["IPv4"]:
        found: dict[tuple[object, ...], Group] = {}
        for pod in pods:
            if not is_listed(pod, terminating=True) or not _is_placed(pod, service, nodes):
                continue
            ports = _ports(service, pod)
            group = found.setdefault(Group(family, ports, []).key, Group(family, ports, []))
            if addresses := addresses_of(pod, family):
                group.endpoints.append(
                    _endpoint(pod, nodes.get(pod.spec.node_name or ""), service, addresses=addresses)
                )
        groups += [group for group in found.values() if group.endpoints] or [Group(family, [], [])]
    return groups


def _ports(service: core_v1.Service, pod: core_v1.Pod) -> list[discovery_v1.EndpointPort]:
    ports = (
        discovery_v1.EndpointPort(
            name=port.name or "", port=number, protocol=port.protocol or "TCP", app_protocol=port.app_protocol
        )
        for port in service.spec.ports or ()
        if (number := port_of(pod, port)) is not None
    )
    return sorted(ports, key=rank_in_slice)


def _endpoint(
    pod: core_v1.Pod, node: core_v1.Node | None, service: core_v1.Service, *, addresses: list[str]
) -> discovery_v1.Endpoint:
    serving, terminating = is_ready(pod), pod.metadata.deletion_timestamp is not None
    ready = bool(service.spec.publish_not_ready_addresses) or (serving and not terminating)
    zone = ((node.metadata.labels or {}).get(_ZONE) if node is not None else None) or None
    endpoint = discovery_v1.Endpoint(
        addresses=addresses,
        conditions=discovery_v1.EndpointConditions(ready=ready, serving=serving, terminating=terminating),
        hostname=hostname_of(pod, service),
        node_name=pod.spec.node_name or None,
        zone=zone,
        target_ref=core_v1.ObjectReference(
            kind="Pod", namespace=pod.metadata.namespace, name=pod.metadata.name, uid=pod.metadata.uid
        ),
    )
    endpoint.hints = hints_of(service, endpoint)
    return endpoint


def _labels(service: core_v1.Service) -> dict[str, str]:
    """Return the labels of a service's slices: its own, but for those that say whose they are."""
    own = {key: value for key, value in (service.metadata.labels or {}).items() if key not in _RESERVED}
    headless = {HEADLESS: ""} if is_headless(service) else {}
    return {**own, **headless, _SERVICE: service.metadata.name or "", _MANAGED_BY: MANAGER}


def _new(service: core_v1.Service, group: Group, labels: dict[str, str], at: str | None) -> Slice:
    name = service.metadata.name or ""
    metadata = kv.ObjectMeta(
        generate_name=f"{name}-", namespace=service.metadata.namespace, labels=labels, annotations=_annotated(None, at)
    )
    made = Slice(metadata=metadata, address_type=group.family, ports=group.ports, endpoints=group.endpoints)
    kv.set_controller_reference(service, made)
    return made


def _annotated(annotations: dict[str, str] | None, at: str | None) -> dict[str, str] | None:
    """Return annotations with the time of the change; one that is not the cause of this change goes."""
    others = {key: value for key, value in (annotations or {}).items() if key != CHANGED_AT}
    return {**others, **({CHANGED_AT: at} if at else {})} or None
