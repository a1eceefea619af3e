"""Scopes: which pods and claims a quota is about."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.api.label_selector import LabelSelector
from konverge.api.quantity import Quantity

_AFFINITIES: Final = ("podAffinity", "podAntiAffinity")
_COMPUTE: Final = ("cpu", "memory")


def scopes_of(quota: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return what a quota's scopes and its scope selector ask for."""
    spec = quota.get("spec") or {}
    plain = [{"scopeName": name, "operator": "Exists"} for name in spec.get("scopes") or ()]
    return [*plain, *((spec.get("scopeSelector") or {}).get("matchExpressions") or ())]


def is_pod_in(scope: Mapping[str, Any], pod: Mapping[str, Any]) -> bool:  # noqa: PLR0911 - a table of scopes
    """Whether a pod is in a scope."""
    spec = pod.get("spec") or {}
    match scope.get("scopeName"):
        case "Terminating":
            return is_terminating(pod)
        case "NotTerminating":
            return not is_terminating(pod)
        case "BestEffort":
            return _is_best_effort(pod)
        case "NotBestEffort":
            return not _is_best_effort(pod)
        case "PriorityClass":
            return _has_name(scope, [spec["priorityClassName"]] if spec.get("priorityClassName") else [])
        case "CrossNamespacePodAffinity":
            return any(map(_crosses, _affinity_terms(spec)))
        case _:
            return False


def is_claim_in(scope: Mapping[str, Any], claim: Mapping[str, Any]) -> bool:
    """Whether a claim of storage is in a scope."""
    return scope.get("scopeName") == "VolumeAttributesClass" and _has_name(scope, attributes_classes(claim))


def is_terminating(pod: Mapping[str, Any]) -> bool:
    """Whether a pod is one that ends by itself."""
    return (pod.get("spec") or {}).get("activeDeadlineSeconds") is not None


def attributes_classes(claim: Mapping[str, Any]) -> list[str]:
    """Return the volume attributes classes that a claim has, had or is to have."""
    spec, status = claim.get("spec") or {}, claim.get("status") or {}
    target = (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName")
    names = (spec.get("volumeAttributesClassName"), status.get("currentVolumeAttributesClassName"), target)
    return sorted(dict.fromkeys(name for name in names if name))


def _has_name(scope: Mapping[str, Any], names: list[str]) -> bool:
    if scope.get("operator") == "Exists":
        return bool(names)
    key = scope["scopeName"]
    expression = {"key": key, "operator": scope.get("operator"), "values": list(scope.get("values") or ())}
    selector = LabelSelector.from_spec({"matchExpressions": [expression]})
    return any(selector.matches(labels) for labels in [{key: name} for name in names] or [{}])


def _crosses(term: Mapping[str, Any]) -> bool:
    return bool(term.get("namespaces")) or term.get("namespaceSelector") is not None


def _affinity_terms(spec: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    for name in _AFFINITIES:
        affinity = (spec.get("affinity") or {}).get(name) or {}
        yield from affinity.get("requiredDuringSchedulingIgnoredDuringExecution") or ()
        weighted = affinity.get("preferredDuringSchedulingIgnoredDuringExecution") or ()
        yield from (each.get("podAffinityTerm") or {} for each in weighted)


def _is_best_effort(pod: Mapping[str, Any]) -> bool:
    """Whether nothing is promised to a pod: the class of its status, or no cpu and memory in any container."""
    known = (pod.get("status") or {}).get("qosClass")
    if known:
        return bool(known == "BestEffort")
    spec = pod.get("spec") or {}
    own = spec.get("resources")
    asking = [own] if own else [each.get("resources") for each in _all_containers(spec)]
    return not any(map(_asks_compute, asking))


def _all_containers(spec: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    return [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]


def _asks_compute(resources: Mapping[str, Any] | None) -> bool:
    found = resources or {}
    amounts = [(found.get(which) or {}).get(name) for which in ("requests", "limits") for name in _COMPUTE]
    return any(amount is not None and Quantity(amount) > 0 for amount in amounts)
