"""The quality of service that a pod gets: by whether all, some or none of its containers say what they need."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTED: Final = ("cpu", "memory")  # the resources that a quality of service goes by


def quality_of_service(pod: JsonObject) -> str:
    """Return a pod's class: by whether all, some or none of its containers say what they need."""
    spec = pod["spec"]
    is_whole = spec.get("resources") is not None  # however empty
    needs = [_needs(each) for each in ([spec] if is_whole else _containers(spec))]
    if not any(requests or limits for requests, limits in needs):
        return "BestEffort"
    is_guaranteed = all(
        set(limits) == set(_COUNTED) and all(requests.get(name, limits[name]) == limits[name] for name in _COUNTED)
        for requests, limits in needs
    )
    return "Guaranteed" if is_guaranteed else "Burstable"


def _containers(spec: JsonObject) -> Iterator[JsonObject]:
    yield from spec.get("containers") or ()
    yield from spec.get("initContainers") or ()


def _needs(container: JsonObject) -> tuple[dict[str, Quantity], dict[str, Quantity]]:
    resources = container.get("resources") or {}
    return _amounts(resources.get("requests") or {}), _amounts(resources.get("limits") or {})


def _amounts(found: JsonObject) -> dict[str, Quantity]:
    amounts = {name: Quantity(found[name]) for name in _COUNTED if name in found}
    return {name: amount for name, amount in amounts.items() if amount}
