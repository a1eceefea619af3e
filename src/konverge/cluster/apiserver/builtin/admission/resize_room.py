"""A pod that is on a node changes within what the node can do: features that it declares, room that it has."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.api.quantity import Quantity
from konverge.api.quota.pod_amounts import pod_amounts
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.failure import Failure
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_WHOLE: Final = "InPlacePodLevelResourcesVerticalScaling"
_INIT: Final = "InPlacePodVerticalScalingInitContainers"
_SYSTEM: Final = "kubernetes.io/os"


def judge_node_features(admission: Admission) -> None:
    """Refuse a change of a pod that its node cannot follow."""
    if admission.subresource not in ("", "resize") or not _is_changed(admission):
        return
    needed = list(_needed(admission.spec, (admission.old or {})["spec"]))
    if not needed:
        return
    name = admission.spec["nodeName"]
    declared = _node(admission).get("status", {}).get("declaredFeatures") or ()
    if missing := [each for each in needed if each not in declared]:
        why = f"pod update requires features {', '.join(missing)} which are not available on node {quoted(name)}"
        raise admission.forbidden(why)


def judge_resize_room(admission: Admission) -> None:
    """Refuse to let a pod grow out of its node."""
    if admission.subresource != "resize" or not _is_changed(admission):
        return
    node, name = _node(admission), admission.spec["nodeName"]
    system = node["metadata"].get("labels", {}).get(_SYSTEM, "linux")
    if system != "linux":
        why = f"pod resize is only supported on linux nodes, node {quoted(name)} is {quoted(system)}"
        raise _refusal(admission, why, cause="UnsupportedPlatform")
    if lacking := list(_lacking(admission.value, node)):
        why = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
        raise _refusal(admission, why, cause="NodeCapacity")


def _is_changed(admission: Admission) -> bool:
    """Whether a pod on a node differs from before: its generation counts that."""
    old = admission.old
    if old is None or not admission.spec.get("nodeName"):
        return False
    return bool(admission.value["metadata"].get("generation") != old["metadata"].get("generation"))


def _needed(spec: JsonObject, old: JsonObject) -> Iterator[str]:
    if not json_equal(spec.get("resources"), old.get("resources")):
        yield _WHOLE
    pairs = zip(spec.get("initContainers") or (), old.get("initContainers") or (), strict=True)
    passing = [pair for pair in pairs if pair[1].get("restartPolicy") != "Always"]
    if any(not json_equal(new.get("resources") or {}, before.get("resources") or {}) for new, before in passing):
        yield _INIT


def _node(admission: Admission) -> JsonObject:
    name = admission.spec["nodeName"]
    found = admission.find(f"core/nodes/{name}")
    if found is None:
        raise admission.forbidden(f"node {quoted(name)} not found")
    return found


def _lacking(pod: JsonObject, node: JsonObject) -> Iterator[str]:
    requests = pod_amounts({"spec": pod["spec"]}, "requests")
    room = node.get("status", {}).get("allocatable") or {}
    nothing = Quantity(0)
    wanted, there = requests.get("cpu", nothing), Quantity(room.get("cpu", 0))
    if wanted > there:
        yield f"cpu, requested: {wanted.milli_value()}, allocatable: {there.milli_value()}"
    wanted, there = requests.get("memory", nothing), Quantity(room.get("memory", 0))
    if wanted > there:
        yield f"memory, requested: {wanted.value()}, allocatable: {there.value()}"


def _refusal(admission: Admission, why: str, *, cause: str) -> Failure:
    failure = admission.forbidden(why)
    failure.details = {**(failure.details or {}), "causes": [{"reason": cause}]}
    return failure
