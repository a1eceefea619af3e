"""How many pods the controllers of some pods are to have: what a percentage of a budget is a percentage of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import konverge as kv
from konverge.api.meta import OwnerReference
from konverge.api.owner import controller_of
from konverge.client.ignore import ignore_not_found
from konverge.errors import KonvergeError
from konverge.models import apps_v1, autoscaling_v1, core_v1

# All have `spec.replicas`; they share no class that says so.
_KINDS: Final[Mapping[tuple[str, str], type[Any]]] = {
    ("apps/v1", "Deployment"): apps_v1.Deployment,
    ("apps/v1", "ReplicaSet"): apps_v1.ReplicaSet,
    ("apps/v1", "StatefulSet"): apps_v1.StatefulSet,
    ("v1", "ReplicationController"): core_v1.ReplicationController,
}


class NoScale(KonvergeError):
    """The controller of a pod is not there, or does not say how many pods it is to have."""


@dataclass(frozen=True, slots=True)
class Scale:
    """The pods that should be there, and the names of those that nobody controls and that are not counted."""

    pods: int
    unmanaged: tuple[str, ...]


async def scale_of(client: kv.Client, pods: Iterable[core_v1.Pod]) -> Scale:
    """Add up the controllers of the pods, each once. Raises `NoScale`."""
    counted: dict[str, int] = {}
    seen: set[str] = set()
    unmanaged = []
    for pod in pods:
        owner = controller_of(pod)
        if owner is None:
            unmanaged.append(pod.metadata.name or "")
        elif owner.uid not in seen:
            seen.add(owner.uid)
            uid, replicas = await _controller(client, owner, pod)
            counted[uid] = replicas
    return Scale(sum(counted.values()), tuple(unmanaged))


async def _controller(client: kv.Client, owner: OwnerReference, pod: core_v1.Pod) -> tuple[str, int]:
    namespace = pod.metadata.namespace or ""
    if owner.kind == "ReplicaSet" and owner.api_version == "apps/v1":
        found = await ignore_not_found(client.get(apps_v1.ReplicaSet, owner.name, namespace=namespace))
        above = controller_of(found) if found is not None and found.metadata.uid == owner.uid else None
        owner = above if above is not None and above.kind == "Deployment" else owner
    replicas = await _replicas(client, owner, namespace)
    if replicas is None:
        raise NoScale(f'found no controllers for pod "{pod.metadata.name}"')
    return owner.uid, replicas


async def _replicas(client: kv.Client, owner: OwnerReference, namespace: str) -> int | None:
    """Return the pods that a controller is to have; None where it is not there, or another one by now."""
    kind = _KINDS.get((owner.api_version, owner.kind))
    if kind is None:
        return await _asked_scale(client, owner, namespace)
    found = await ignore_not_found(client.get(kind, owner.name, namespace=namespace))
    return found.spec.replicas if found is not None and found.metadata.uid == owner.uid else None


async def _asked_scale(client: kv.Client, owner: OwnerReference, namespace: str) -> int | None:
    """Ask the API for the scale of any other kind."""
    metadata = kv.ObjectMeta(name=owner.name, namespace=namespace)
    named = kv.Unstructured(api_version=owner.api_version, kind=owner.kind, metadata=metadata)
    resource = await client.resource_of(kv.unstructured(owner.api_version, owner.kind))
    if "scale" not in resource.subresources:
        raise NoScale(f"{resource.group_resource} does not implement the scale subresource")
    scale = await ignore_not_found(client.subresource("scale").get(named, autoscaling_v1.Scale))
    return (scale.spec.replicas or 0) if scale is not None and scale.metadata.uid == owner.uid else None
