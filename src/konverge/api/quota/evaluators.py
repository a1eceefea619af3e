"""Which evaluator counts which kind."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, Final

from konverge.api.quantity import Quantity
from konverge.api.quota.amounts import Amounts, read
from konverge.api.quota.evaluator import Evaluator, JsonObject
from konverge.api.quota.pod_evaluator import PodEvaluator
from konverge.api.quota.scope import attributes_classes, is_claim_in

_ALIASES: Final = ("configmaps", "resourcequotas", "replicationcontrollers", "secrets")
_STORAGE_CLASS: Final = ".storageclass.storage.k8s.io/"
_DEVICE_CLASS: Final = ".deviceclass.resource.k8s.io/devices"
_MOST_DEVICES: Final = 32  # that one claim can be given: what "all of them" counts as
_OLD_CLASS: Final = "volume.beta.kubernetes.io/storage-class"

# What is never counted: what is not stored, and events.
IGNORED: Final = frozenset(
    {
        ("", "bindings"),
        ("", "componentstatuses"),
        ("", "events"),
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
        ("events.k8s.io", "events"),
    }
)


class ServiceEvaluator(Evaluator):
    """Counts services, with the node ports and load balancers that they need."""

    def __init__(self) -> None:
        super().__init__("", "services", "services")

    def tracks(self, name: str) -> bool:
        """Whether services use a resource."""
        return super().tracks(name) or name in ("services.nodeports", "services.loadbalancers")

    def handles(self, value: JsonObject, old: JsonObject | None, *, subresource: str = "") -> bool:
        """Whether a write may change what is used: a service may change its type."""
        del value, old
        return not subresource

    def usage(self, value: JsonObject, now: datetime) -> Amounts:
        """Return what a service uses."""
        spec = value.get("spec") or {}
        ports, kind = spec.get("ports") or (), spec.get("type")
        node_ports = len(ports) if kind in ("NodePort", "LoadBalancer") else 0
        if kind == "LoadBalancer" and spec.get("allocateLoadBalancerNodePorts") is False:
            node_ports = sum(1 for port in ports if port.get("nodePort"))
        more = {"services.nodeports": node_ports, "services.loadbalancers": int(kind == "LoadBalancer")}
        return super().usage(value, now) | {name: Quantity(count) for name, count in more.items()}


class VolumeClaimEvaluator(Evaluator):
    """Counts claims of storage and what they ask for, as a whole and by their storage class."""

    def __init__(self) -> None:
        super().__init__("", "persistentvolumeclaims", "persistentvolumeclaims")

    def tracks(self, name: str) -> bool:
        """Whether claims use a resource."""
        by_class = tuple(f"{_STORAGE_CLASS}{each}" for each in ("persistentvolumeclaims", "requests.storage"))
        return super().tracks(name) or name == "requests.storage" or name.endswith(by_class)

    def handles(self, value: JsonObject, old: JsonObject | None, *, subresource: str = "") -> bool:
        """Whether a write may change what is used; its status tells how much is allocated, and of which class."""
        if not subresource:
            return True
        if subresource != "status" or old is None:
            return False
        return _allocated(old) != _allocated(value) or attributes_classes(old) != attributes_classes(value)

    def is_in(self, scope: JsonObject, value: JsonObject) -> bool:
        """Whether a claim is in a scope."""
        return is_claim_in(scope, value)

    def scope_facts(self, value: JsonObject) -> object:
        """Return the classes of a claim."""
        return attributes_classes(value)

    def usage(self, value: JsonObject, now: datetime) -> Amounts:
        """Return what a claim uses."""
        used = super().usage(value, now)
        storage_class = _storage_class(value)
        own = {"persistentvolumeclaims": Quantity(1)}
        requested = read(((value.get("spec") or {}).get("resources") or {}).get("requests")).get("storage")
        if requested is not None:
            own["requests.storage"] = max(requested, _allocated(value) or requested).round_up(0)
        by_class = {f"{storage_class}{_STORAGE_CLASS}{name}": amount for name, amount in own.items()}
        return used | own | (by_class if storage_class else {})


class ResourceClaimEvaluator(Evaluator):
    """Counts claims of devices, and the devices by their class."""

    def __init__(self) -> None:
        super().__init__("resource.k8s.io", "resourceclaims")

    def tracks(self, name: str) -> bool:
        """Whether claims use a resource."""
        return super().tracks(name) or name.endswith(_DEVICE_CLASS)

    def handles(self, value: JsonObject, old: JsonObject | None, *, subresource: str = "") -> bool:
        """Whether a write may change what is used."""
        del value, old
        return not subresource

    def usage(self, value: JsonObject, now: datetime) -> Amounts:
        """Return what a claim uses: of requests with alternatives, the most of each class."""
        used = super().usage(value, now)
        for request in ((value.get("spec") or {}).get("devices") or {}).get("requests") or ():
            for name, count in _devices(request).items():
                used[name] = used.get(name, Quantity(0)) + count
        return used


def _devices(request: Mapping[str, Any]) -> dict[str, int]:
    found: dict[str, int] = {}
    for each in request.get("firstAvailable") or ([request["exactly"]] if request.get("exactly") else ()):
        name = f"{each.get('deviceClassName', '')}{_DEVICE_CLASS}"
        modes = {"ExactCount": each.get("count", 0), "All": _MOST_DEVICES}
        found[name] = max(found.get(name, 0), modes.get(each.get("allocationMode", ""), 0))
    return found


def _allocated(claim: Mapping[str, Any]) -> Quantity | None:
    return read((claim.get("status") or {}).get("allocatedResources")).get("storage")


def _storage_class(claim: Mapping[str, Any]) -> str:
    annotations = (claim.get("metadata") or {}).get("annotations") or {}
    if _OLD_CLASS in annotations:
        return str(annotations[_OLD_CLASS])
    return str((claim.get("spec") or {}).get("storageClassName") or "")


_SPECIAL: Final[Mapping[tuple[str, str], Evaluator]] = {
    (each.group, each.plural): each
    for each in (
        PodEvaluator(),
        ServiceEvaluator(),
        VolumeClaimEvaluator(),
        ResourceClaimEvaluator(),
        *(Evaluator("", name, name) for name in _ALIASES),
    )
}


def evaluator_of(group: str, plural: str) -> Evaluator | None:
    """Return what counts the objects of a kind; None for what is never counted."""
    if (group, plural) in IGNORED:
        return None
    return _SPECIAL.get((group, plural)) or Evaluator(group, plural)
