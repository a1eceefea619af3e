"""EndpointSlice mirroring: Endpoints that someone writes by hand, for a Service without a selector, as slices."""

from __future__ import annotations

import ipaddress
from typing import Final

import konverge as kv
from konverge.client.ignore import ignore_not_found
from konverge.cluster.controllers.port_order import rank_in_slice
from konverge.cluster.controllers.service_pods import CHANGED_AT
from konverge.cluster.controllers.slice_plan import Group, plan
from konverge.manager import Manager
from konverge.models import core_v1, discovery_v1

_MANAGER: Final = "endpointslicemirroring-controller.k8s.io"
_MANAGED_BY: Final = "endpointslice.kubernetes.io/managed-by"
_SERVICE: Final = "kubernetes.io/service-name"
_SKIP: Final = "endpointslice.kubernetes.io/skip-mirror"
_LEADER: Final = "control-plane.alpha.kubernetes.io/leader"  # Endpoints that are a lock
_NOT_COPIED: Final = (CHANGED_AT, "kubectl.kubernetes.io/last-applied-configuration")
_MOST: Final = 1000  # addresses of a subset; it becomes one slice

Slice = discovery_v1.EndpointSlice


def add_to(manager: Manager) -> None:
    """Register the controller."""
    (
        kv.new_controller(manager)
        .named("endpointslice-mirroring-controller")
        .for_(core_v1.Endpoints)
        .watches(core_v1.Service, lambda service: [kv.Request.of(service.metadata)])
        .watches(Slice, _endpoints_of)
        .complete(reconcile)
    )


def _endpoints_of(slice_: Slice) -> list[kv.Request]:
    labels = slice_.metadata.labels or {}
    if labels.get(_MANAGED_BY) != _MANAGER or not labels.get(_SERVICE):
        return []
    return [kv.Request(slice_.metadata.namespace or "", labels[_SERVICE])]


async def reconcile(ctx: kv.Context, request: kv.Request) -> None:
    """Write the slices that differ from the Endpoints, and delete those that nothing stands behind."""
    endpoints = await ignore_not_found(ctx.client.get(core_v1.Endpoints, request))
    service = await ignore_not_found(ctx.client.get(core_v1.Service, request))
    labels = {_SERVICE: request.name, _MANAGED_BY: _MANAGER}
    existing = list(await ctx.client.list(Slice, namespace=request.namespace, labels=labels))
    if endpoints is None or service is None or service.spec.selector is not None or not is_mirrored(endpoints):
        for slice_ in existing:
            await ignore_not_found(ctx.client.delete(slice_))
        return
    await _write(ctx, endpoints, existing)


def is_mirrored(endpoints: core_v1.Endpoints) -> bool:
    """Whether Endpoints are meant to be mirrored: not if they say no, and not if they are a lock."""
    is_skipped = (endpoints.metadata.labels or {}).get(_SKIP) == "true"
    return not is_skipped and _LEADER not in (endpoints.metadata.annotations or {})


async def _write(ctx: kv.Context, endpoints: core_v1.Endpoints, existing: list[Slice]) -> None:
    labels, annotations = _labels(endpoints), _annotations(endpoints)
    wrong = [each for each in existing if not _is_labelled(each, labels, annotations)]
    planned = plan(_groups(endpoints), existing, most=_MOST)
    kept = [each for each in wrong if each not in planned.deletes and each not in planned.updates]
    for group in planned.creates:
        await ctx.client.create(_new(endpoints, group, labels, annotations))
    for slice_ in (*planned.updates, *kept):
        slice_.metadata.labels, slice_.metadata.annotations = labels, annotations or None
        await ctx.client.update(slice_)
    for slice_ in planned.deletes:
        await ignore_not_found(ctx.client.delete(slice_))


def _is_labelled(slice_: Slice, labels: dict[str, str], annotations: dict[str, str]) -> bool:
    return (slice_.metadata.labels or {}) == labels and (slice_.metadata.annotations or {}) == annotations


def _groups(endpoints: core_v1.Endpoints) -> list[Group]:
    """Return a group for each family of each subset."""
    groups: dict[tuple[object, ...], Group] = {}
    for subset in endpoints.subsets or ():
        told_ports = (
            discovery_v1.EndpointPort(
                name=each.name or "", port=each.port, protocol=each.protocol or "TCP", app_protocol=each.app_protocol
            )
            for each in subset.ports or ()
        )
        ports = sorted(told_ports, key=rank_in_slice)
        told = [(each, True) for each in subset.addresses or ()]
        told += [(each, False) for each in subset.not_ready_addresses or ()]
        for address, ready in told[:_MOST]:
            family = f"IPv{ipaddress.ip_address(address.ip).version}"
            group = Group(family, ports, [])
            groups.setdefault(group.key, group).endpoints.append(_endpoint(address, ready=ready))
    return list(groups.values())


def _endpoint(address: core_v1.EndpointAddress, *, ready: bool) -> discovery_v1.Endpoint:
    return discovery_v1.Endpoint(
        addresses=[str(ipaddress.ip_address(address.ip))],
        conditions=discovery_v1.EndpointConditions(ready=ready),
        hostname=address.hostname or None,
        node_name=address.node_name,
        target_ref=address.target_ref,
    )


def _labels(endpoints: core_v1.Endpoints) -> dict[str, str]:
    return {**(endpoints.metadata.labels or {}), _SERVICE: endpoints.metadata.name or "", _MANAGED_BY: _MANAGER}


def _annotations(endpoints: core_v1.Endpoints) -> dict[str, str]:
    return {key: value for key, value in (endpoints.metadata.annotations or {}).items() if key not in _NOT_COPIED}


def _new(endpoints: core_v1.Endpoints, group: Group, labels: dict[str, str], annotations: dict[str, str]) -> Slice:
    metadata = kv.ObjectMeta(
        generate_name=f"{endpoints.metadata.name}-",
        namespace=endpoints.metadata.namespace,
        labels=labels,
        annotations=annotations or None,
    )
    made = Slice(metadata=metadata, address_type=group.family, ports=group.ports, endpoints=group.endpoints)
    kv.set_controller_reference(endpoints, made)
    return made
