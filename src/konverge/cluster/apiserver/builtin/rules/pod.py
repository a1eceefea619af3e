"""Pods: pending when they are new, and given time to end once they are on a node."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.strategy import JsonObject

_COUNTED: Final = ("cpu", "memory")  # the resources that a quality of service goes by

_USUAL_GRACE: Final = 30  # seconds; the default of a pod that says nothing


def _prepare_for_create(value: JsonObject) -> None:
    value["status"] = {"phase": "Pending", "qosClass": quality_of_service(value)}


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource != "status":
        return
    status, before = value.setdefault("status", {}), old.get("status", {})
    if not status.get("qosClass") and before.get("qosClass"):
        status["qosClass"] = before["qosClass"]


def quality_of_service(pod: JsonObject) -> str:
    """Return a pod's class: by whether all, some or none of its containers say what they need."""
    needs = [_needs(container) for container in _containers(pod["spec"])]
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
    resources = container.get("resources", {})
    return _amounts(resources.get("requests", {})), _amounts(resources.get("limits", {}))


def _amounts(found: JsonObject) -> dict[str, Quantity]:
    amounts = {name: Quantity(found[name]) for name in _COUNTED if name in found}
    return {name: amount for name, amount in amounts.items() if amount}


def _grace(pod: JsonObject, asked: int | None) -> int:
    spec = pod.get("spec", {})
    if not spec.get("nodeName") or pod.get("status", {}).get("phase") in ("Failed", "Succeeded"):
        return 0
    period: int = spec.get("terminationGracePeriodSeconds", _USUAL_GRACE) if asked is None else asked
    return 1 if period < 0 else period


POD: Final = KindRules(prepare_for_create=_prepare_for_create, prepare_for_update=_prepare_for_update, grace=_grace)
