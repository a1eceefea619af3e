"""What a pod as a whole asks for, where it says only a part: from its containers, then from its limits."""

from __future__ import annotations

from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.strategy import JsonObject

_OF_PODS: Final = ("cpu", "memory")
_HUGE_PAGES: Final = "hugepages-"

Amounts = dict[str, Quantity]


def default_pod_resources(spec: JsonObject) -> None:
    """Fill in the resources of a pod's spec; its containers' are filled in already."""
    resources = spec["resources"]
    if resources.get("limits") or resources.get("requests"):
        _limit_huge_pages(spec, resources)
    if resources.get("limits"):
        requests = _requests(spec, resources)
        if requests:
            resources["requests"] = requests


def _limit_huge_pages(spec: JsonObject, resources: JsonObject) -> None:
    limits, requests = resources.get("limits", {}), resources.get("requests", {})
    found = {
        name: str(amount)
        for name, amount in needed(spec, "limits").items()
        if name.startswith(_HUGE_PAGES) and name not in requests
    }
    if merged := {**found, **limits}:
        resources["limits"] = merged


def _requests(spec: JsonObject, resources: JsonObject) -> JsonObject:
    of_containers = {name: str(amount) for name, amount in needed(spec, "requests").items() if name in _OF_PODS}
    of_limits = {
        name: amount for name, amount in resources["limits"].items() if name in _OF_PODS or name.startswith(_HUGE_PAGES)
    }
    return {**of_limits, **of_containers, **resources.get("requests", {})}


def needed(spec: JsonObject, part: str) -> Amounts:
    """Return what all containers need together at the moment when they need most: requests or limits."""
    total: Amounts = {}
    for container in spec.get("containers") or ():
        _add(total, _amounts(container, part))
    beside: Amounts = {}  # what keeps running beside those that start after it
    at_start: Amounts = {}
    for container in spec.get("initContainers") or ():
        own = _amounts(container, part)
        if container.get("restartPolicy") == "Always":
            _add(total, own)
            _add(beside, own)
            own = beside
        else:
            _add(own, beside)
        _raise(at_start, own)
    _raise(total, at_start)
    return total


def _amounts(container: JsonObject, part: str) -> Amounts:
    return {name: Quantity(text) for name, text in container.get("resources", {}).get(part, {}).items()}


def _add(total: Amounts, more: Amounts) -> None:
    for name, amount in more.items():
        total[name] = total[name] + amount if name in total else amount


def _raise(most: Amounts, other: Amounts) -> None:
    for name, amount in other.items():
        if name not in most or amount > most[name]:
            most[name] = amount
