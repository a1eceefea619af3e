"""Pods: counted by what they ask for while they live, and as objects while they are there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any, Final

from konverge.api.quantity import Quantity
from konverge.api.quota.amounts import Amounts, read
from konverge.api.quota.evaluator import Evaluator, JsonObject
from konverge.api.quota.pod_amounts import is_pod_level, pod_amounts
from konverge.api.quota.scope import is_pod_in, is_terminating
from konverge.api.time import parse_time

_COMPUTE: Final = ("cpu", "memory", "ephemeral-storage")
_FIXED: Final = (
    "pods",
    *_COMPUTE,
    *(f"requests.{name}" for name in _COMPUTE),
    *(f"limits.{name}" for name in _COMPUTE),
)
# A quota of these makes every container say how much it wants. That was a mistake, and is kept.
_REQUIRED: Final = (
    *("cpu", "memory"),
    *(f"{which}.{name}" for which in ("requests", "limits") for name in ("cpu", "memory")),
)
_HUGE_PAGES: Final = "hugepages-"
_DEVICE_CLASS: Final = "deviceclass.resource.kubernetes.io/"
_ENDED: Final = ("Failed", "Succeeded")


class PodEvaluator(Evaluator):
    """Counts pods."""

    def __init__(self) -> None:
        super().__init__("", "pods")

    def tracks(self, name: str) -> bool:
        """Whether pods use a resource: huge pages and what vendors add included."""
        is_huge = name.startswith((_HUGE_PAGES, f"requests.{_HUGE_PAGES}"))
        return super().tracks(name) or name in _FIXED or is_huge or _is_extended_request(name)

    def handles(self, value: JsonObject, old: JsonObject | None, *, subresource: str = "") -> bool:
        """Whether a write may change what is used: a new pod, a resized one, or one that changes its scope."""
        if subresource:
            return subresource == "resize" and old is not None
        return old is None or self.scope_facts(old) != self.scope_facts(value)

    def is_in(self, scope: JsonObject, value: JsonObject) -> bool:
        """Whether a pod is in a scope."""
        return is_pod_in(scope, value)

    def scope_facts(self, value: JsonObject) -> object:
        """Return whether a pod ends by itself: no other scope of a pod can change."""
        return is_terminating(value)

    def missing(self, names: Iterable[str], value: JsonObject) -> str:
        """Say which amounts of limited resources containers leave open."""
        spec = value.get("spec") or {}
        if _has_own_amounts(spec):
            return ""
        required = [name for name in dict.fromkeys(names) if name in _REQUIRED]
        containers = [*(spec.get("containers") or ()), *(spec.get("initContainers") or ())]
        silent = {name: _silent_containers(name, containers) for name in sorted(required)}
        parts = [f"{name} for: {','.join(which)}" for name, which in silent.items() if which]
        return f"must specify {'; '.join(parts)}" if parts else ""

    def usage(self, value: JsonObject, now: datetime) -> Amounts:
        """Return what a pod uses; one that has ended is an object and no more."""
        count = {name: Quantity(1) for name in self._names}
        if not _is_alive(value, now):
            return count
        return count | _compute(pod_amounts(value, "requests"), pod_amounts(value, "limits"))


def _compute(requests: Amounts, limits: Amounts) -> Amounts:
    used = {"pods": Quantity(1)}
    for name, amount in requests.items():
        if name in _COMPUTE or name.startswith(_HUGE_PAGES):
            used |= {name: amount, f"requests.{name}": amount}
        elif _is_extended(name):
            used[f"requests.{name}"] = amount
    return used | {f"limits.{name}": amount for name, amount in limits.items() if name in _COMPUTE}


def _silent_containers(name: str, containers: Iterable[Mapping[str, Any]]) -> list[str]:
    return sorted(dict.fromkeys(each.get("name", "") for each in containers if name not in _own(each)))


def _own(container: Mapping[str, Any]) -> Amounts:
    resources = container.get("resources") or {}
    return _compute(read(resources.get("requests")), read(resources.get("limits")))


def _has_own_amounts(spec: Mapping[str, Any]) -> bool:
    resources = spec.get("resources") or {}
    return any(is_pod_level(name) for which in ("requests", "limits") for name in resources.get(which) or ())


def _is_native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _is_extended(name: str) -> bool:
    return not (_is_native(name) or name.startswith("requests.")) or name.startswith(_DEVICE_CLASS)


def _is_extended_request(name: str) -> bool:
    is_device = name.startswith(f"requests.{_DEVICE_CLASS}")
    return name.startswith("requests.") and (not _is_native(name) or is_device)


def _is_alive(pod: Mapping[str, Any], now: datetime) -> bool:
    """Whether a pod runs or will: one that should be gone by now (its node is lost) does not count."""
    if (pod.get("status") or {}).get("phase") in _ENDED:
        return False
    metadata = pod.get("metadata") or {}
    deletion, grace = metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds")
    if deletion is None or grace is None:
        return True
    return now <= parse_time(deletion) + timedelta(seconds=grace)
