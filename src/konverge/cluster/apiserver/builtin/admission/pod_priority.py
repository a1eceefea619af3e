"""Pods have the priority of the class that they name, or of the default class, or none."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.strategy import JsonObject

_CLASSES: Final = "scheduling.k8s.io/priorityclasses"
_NO_CLASS: Final[JsonObject] = {"metadata": {"name": ""}, "value": 0, "preemptionPolicy": "PreemptLowerPriority"}


def set_priority(admission: Admission) -> None:
    """Set a new pod's priority and preemption policy; an update keeps them."""
    if admission.subresource:
        return
    if admission.old is not None:
        _keep(admission.spec, admission.old.get("spec", {}))
        return
    spec = admission.spec
    found = _class_of(admission, spec.get("priorityClassName", ""))
    if found["metadata"]["name"]:
        spec["priorityClassName"] = found["metadata"]["name"]
    _set(admission, found)


def _keep(spec: JsonObject, old: JsonObject) -> None:
    for name in ("priority", "preemptionPolicy"):
        if name not in spec and name in old:
            spec[name] = old[name]


def _class_of(admission: Admission, name: str) -> JsonObject:
    if not name:
        return _default_class(admission) or _NO_CLASS
    found = admission.find(f"{_CLASSES}/{name}")
    if found is None:
        raise admission.forbidden(f"no PriorityClass with name {name} was found")
    return found


def _default_class(admission: Admission) -> JsonObject | None:
    """Return the default class; the lowest, should there be several."""
    found = [each for each in admission.every(_CLASSES) if each.get("globalDefault")]
    return min(found, key=lambda each: int(each.get("value", 0)), default=None)


def _set(admission: Admission, found: JsonObject) -> None:
    spec, priority, policy = admission.spec, found.get("value", 0), found.get("preemptionPolicy")
    computed = "priority admission controller computed {} from the given PriorityClass name"
    if spec.get("priority", priority) != priority:
        given = f"the integer value of priority ({spec['priority']}) must not be provided in pod spec; "
        raise admission.forbidden(given + computed.format(priority))
    spec["priority"] = priority
    if policy is None:
        return
    if spec.get("preemptionPolicy", policy) != policy:
        given = f"the string value of PreemptionPolicy ({spec['preemptionPolicy']}) must not be provided in pod spec; "
        raise admission.forbidden(given + computed.format(policy))
    spec["preemptionPolicy"] = policy


def admit_priority_class(admission: Admission) -> None:
    """Refuse a second default class."""
    if admission.subresource or not admission.value.get("globalDefault"):
        return
    default = _default_class(admission)
    if default is None:
        return
    name = default["metadata"]["name"]
    if admission.is_create or name != admission.value["metadata"].get("name"):
        raise admission.forbidden(f"PriorityClass {name} is already marked as default. Only one default can exist")
