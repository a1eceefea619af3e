"""What a write may change of a pod that is there: images, deadlines, tolerations, gates; the rest stays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_difference
from konverge.cluster.apiserver.builtin.rules.number_rules import LARGEST_INT32
from konverge.cluster.apiserver.builtin.rules.pod.containers import image_space_errors
from konverge.cluster.apiserver.builtin.rules.pod.narrowing import narrowing_errors
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import toleration_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_CONTAINERS: Final = ("containers", "initContainers")
_CHANGEABLE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_KEPT_TOLERATION: Final = "existing toleration can not be modified except its tolerationSeconds"


def pod_change_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge the change of a pod's spec."""
    for name in _CONTAINERS:
        if len(spec.get(name) or ()) != len(old.get(name) or ()):
            yield field_error.forbidden(f"spec.{name}", "pod updates may not add or remove containers")
            return
        for index, container in enumerate(spec.get(name) or ()):
            yield from _image_errors(container, f"spec.{name}[{index}]")
    deadline_errors = list(_deadline_errors(spec.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")))
    yield from deadline_errors
    if deadline_errors and spec.get("activeDeadlineSeconds") is not None:
        return
    yield from _toleration_errors(spec.get("tolerations") or [], old.get("tolerations") or [])
    yield from _gate_errors(spec.get("schedulingGates") or [], old.get("schedulingGates") or [])
    if old.get("schedulingGates"):
        yield from narrowing_errors(spec, old)
    kept = _without_changeable(spec, old)
    if not json_equal(kept, old):
        yield field_error.forbidden("spec", f"{_CHANGEABLE}\n{internal_difference('core.PodSpec', old, kept)}")


def _image_errors(container: JsonObject, path: str) -> Iterator[FieldError]:
    if not container.get("image"):
        yield field_error.required(f"{path}.image")
    yield from image_space_errors(container, path)


def _deadline_errors(deadline: int | None, old: int | None) -> Iterator[FieldError]:
    path = "spec.activeDeadlineSeconds"
    if deadline is None:
        if old is not None:
            wrong = "must not update from a positive integer to nil value"
            yield field_error.invalid(path, None, wrong)
    elif not 0 <= deadline <= LARGEST_INT32:
        yield field_error.invalid(path, deadline, f"must be between 0 and {LARGEST_INT32}, inclusive")
    elif old is not None and old < deadline:
        yield field_error.invalid(path, deadline, "must be less than or equal to previous value")


def _toleration_errors(tolerations: list[JsonObject], old: list[JsonObject]) -> Iterator[FieldError]:
    bare = [_without_seconds(toleration) for toleration in tolerations]
    if any(_without_seconds(toleration) not in bare for toleration in old):
        yield field_error.forbidden("spec.tolerations", _KEPT_TOLERATION)
        return
    yield from toleration_errors(tolerations, "spec.tolerations")


def _without_seconds(toleration: JsonObject) -> JsonObject:
    return {name: value for name, value in toleration.items() if name != "tolerationSeconds"}


def _gate_errors(gates: list[JsonObject], old: list[JsonObject]) -> Iterator[FieldError]:
    known = [gate.get("name", "") for gate in old]
    for name, index in {gate.get("name", ""): index for index, gate in enumerate(gates)}.items():
        if name not in known:
            wrong = f"only deletion is allowed, but found new scheduling gate '{name}'"
            yield field_error.forbidden(f"spec.schedulingGates[{index}].name", wrong)


def _without_changeable(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Return a spec with the old values of what may change."""
    kept = dict(spec)
    for name in _CONTAINERS:
        if kept.get(name):
            pairs = zip(kept[name], old[name], strict=True)
            kept[name] = [{**new, "image": before.get("image")} for new, before in pairs]
    names = ["activeDeadlineSeconds", "schedulingGates", "tolerations"]
    if old.get("terminationGracePeriodSeconds", 0) < 0 and kept.get("terminationGracePeriodSeconds") == 1:
        names.append("terminationGracePeriodSeconds")
    if old.get("schedulingGates"):
        names.append("nodeSelector")  # a pod that waits may still be told where to go
        kept["affinity"] = _with_node_affinity(kept.get("affinity") or {}, old.get("affinity") or {})
        if not kept["affinity"] and not old.get("affinity"):
            del kept["affinity"]
    for name in names:
        kept.pop(name, None)
        if name in old:
            kept[name] = old[name]
    return kept


def _with_node_affinity(affinity: JsonObject, old: JsonObject) -> JsonObject:
    others = {name: value for name, value in affinity.items() if name != "nodeAffinity"}
    return {**others, "nodeAffinity": old["nodeAffinity"]} if "nodeAffinity" in old else others


def added_only_errors(spec: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge ephemeral containers, which can only be added."""
    path = "spec.ephemeralContainers"
    given = {container.get("name", ""): container for container in spec.get("ephemeralContainers") or ()}
    for container in old.get("ephemeralContainers") or ():
        name = container["name"]
        if name not in given:
            yield field_error.forbidden(path, f"existing ephemeral containers {quoted(name)} may not be removed\n")
        elif not json_equal(given[name], container):
            changed = internal_difference("core.EphemeralContainer", container, given[name])
            wrong = f"existing ephemeral containers {quoted(name)} may not be changed\n{changed}"
            yield field_error.forbidden(path, wrong)
