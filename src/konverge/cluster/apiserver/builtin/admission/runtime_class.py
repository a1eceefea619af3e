"""Pods of a runtime class have its overhead and go where its nodes are."""

from __future__ import annotations

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject


def apply_runtime_class(admission: Admission) -> None:
    """Apply the runtime class of a new pod; refuse an overhead that is not its class's."""
    if not admission.is_create:
        return
    spec = admission.spec
    name = spec.get("runtimeClassName")
    found = None if name is None else admission.find(f"node.k8s.io/runtimeclasses/{name}")
    if name is not None and found is None:
        raise admission.forbidden(f"pod rejected: RuntimeClass {quoted(name)} not found")
    runtime = found or {}
    _set_overhead(admission, runtime)
    if "scheduling" in runtime:
        _set_scheduling(admission, runtime["scheduling"])


def _set_overhead(admission: Admission, runtime: JsonObject) -> None:
    spec, overhead = admission.spec, runtime.get("overhead", {}).get("podFixed")
    if "overhead" not in runtime:
        if spec.get("overhead"):
            why = "Pod Overhead set without corresponding RuntimeClass defined Overhead"
            raise admission.forbidden(f"pod rejected: {why}")
        return
    if spec.get("overhead") and not json_equal(spec["overhead"], overhead):
        raise admission.forbidden("pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead")
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
