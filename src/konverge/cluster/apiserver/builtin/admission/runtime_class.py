"""Pods of a runtime class have its overhead and go where its nodes are."""

from __future__ import annotations

from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_OTHER: Final = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_ALONE: Final = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


def apply_runtime_class(admission: Admission) -> None:
    """Apply the runtime class of a new pod."""
    if not admission.is_create:
        return
    runtime = _class(admission)
    if "overhead" in runtime:
        _set_overhead(admission, runtime["overhead"].get("podFixed") or {})
    if "scheduling" in runtime:
        _set_scheduling(admission, runtime["scheduling"])


def judge_overhead(admission: Admission) -> None:
    """Refuse an overhead that is not the class's, whoever put it there."""
    if not admission.is_create or admission.subresource:
        return
    runtime, given = _class(admission), admission.spec.get("overhead") or {}
    if "overhead" not in runtime:
        if given:
            raise admission.forbidden(_ALONE)
    elif not json_equal(given, runtime["overhead"].get("podFixed") or {}):
        raise admission.forbidden(_OTHER)


def _class(admission: Admission) -> JsonObject:
    name = admission.spec.get("runtimeClassName")
    if name is None:
        return {}
    found = admission.find(f"node.k8s.io/runtimeclasses/{name}")
    if found is None:
        raise admission.forbidden(f"pod rejected: RuntimeClass {quoted(name)} not found")
    return found


def _set_overhead(admission: Admission, overhead: JsonObject) -> None:
    spec = admission.spec
    if spec.get("overhead") and not json_equal(spec["overhead"], overhead):
        raise admission.forbidden(_OTHER)
    if overhead:
        spec["overhead"] = overhead


def _set_scheduling(admission: Admission, scheduling: JsonObject) -> None:
    spec = admission.spec
    selector = dict(spec.get("nodeSelector", {}))
    for key, value in scheduling.get("nodeSelector", {}).items():
        if selector.setdefault(key, value) != value:
            own = f"runtimeClass.scheduling.nodeSelector[{key}] = {value}"
            raise admission.forbidden(f"conflict: {own}; pod.spec.nodeSelector[{key}] = {selector[key]}")
    if selector:
        spec["nodeSelector"] = selector
    given = spec.get("tolerations", [])
    more = [each for each in scheduling.get("tolerations", ()) if each not in given]
    if more:
        spec["tolerations"] = [*given, *more]
