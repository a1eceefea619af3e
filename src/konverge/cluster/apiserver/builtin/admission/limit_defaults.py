"""Containers that say nothing get what the limit ranges of their namespace say; the pod is told by an annotation."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission

_ANNOTATION: Final = "kubernetes.io/limit-ranger"
_CONTAINERS: Final = {"containers": "container", "initContainers": "init container"}


def set_limit_defaults(admission: Admission) -> None:
    """Fill in the requests and limits of a new pod, or of one that is resized."""
    if not admission.is_create and admission.subresource != "resize":
        return
    if "deletionTimestamp" in ((admission.old or {}).get("metadata") or {}):
        return
    for limit_range in admission.every(f"core/limitranges/{admission.namespace}"):
        defaults = _defaults((limit_range.get("spec") or {}).get("limits") or ())
        _fill(admission, defaults)


def _defaults(limits: Iterable[Mapping[str, Any]]) -> dict[str, dict[str, str]]:
    found: dict[str, dict[str, str]] = {"requests": {}, "limits": {}}
    for limit in limits:
        if limit.get("type") == "Container":
            found["requests"] |= limit.get("defaultRequest") or {}
            found["limits"] |= limit.get("default") or {}
    return found


def _fill(admission: Admission, defaults: Mapping[str, Mapping[str, str]]) -> None:
    told: list[str] = []
    for field, title in _CONTAINERS.items():
        for container in admission.spec.get(field) or ():
            for which in ("requests", "limits"):
                set_names = _set(container, which, defaults[which])
                if set_names:
                    told.append(f"{', '.join(set_names)} {which[:-1]} for {title} {container.get('name', '')}")
    if told:
        annotations = admission.value["metadata"].setdefault("annotations", {})
        annotations[_ANNOTATION] = f"LimitRanger plugin set: {'; '.join(told)}"


def _set(container: dict[str, Any], which: str, defaults: Mapping[str, str]) -> list[str]:
    """Set what a container leaves open; return the names, sorted."""
    given = (container.get("resources") or {}).get(which) or {}
    absent = {name: amount for name, amount in defaults.items() if name not in given}
    if absent:
        resources = container.setdefault("resources", {})
        resources[which] = {**given, **absent}
    return sorted(absent)
