"""Pods: pending when they are new, hardly changed after that, given time to end once they are on a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from konverge.api.json_value import json_equal
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_keys import join_label_keys
from konverge.cluster.apiserver.builtin.rules.pod.annotations import (
    MIRROR,
    NOWHERE,
    annotation_change_errors,
    annotation_rule_errors,
    profile_mismatch_errors,
)
from konverge.cluster.apiserver.builtin.rules.pod.app_armor import annotated_profile_warnings, copy_annotated_profiles
from konverge.cluster.apiserver.builtin.rules.pod.containers import image_space_errors
from konverge.cluster.apiserver.builtin.rules.pod.quality import quality_of_service
from konverge.cluster.apiserver.builtin.rules.pod.resize import refused_errors, resize_errors, resized
from konverge.cluster.apiserver.builtin.rules.pod.spec import pod_spec_errors
from konverge.cluster.apiserver.builtin.rules.pod.update import added_only_errors, pod_change_errors
from konverge.cluster.apiserver.builtin.rules.status.pod import drop_disabled_status, pod_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_CONTAINERS: Final = ("containers", "initContainers")

_GATED: Final = {
    "type": "PodScheduled",
    "status": "False",
    "lastProbeTime": None,
    "reason": "SchedulingGated",
    "message": "Scheduling is blocked due to non-empty scheduling gates",
}
_USUAL_GRACE: Final = 30  # seconds; the default of a pod that says nothing


def _prepare_for_create(value: JsonObject) -> None:
    value["status"] = {"phase": "Pending", "qosClass": quality_of_service(value)}
    if value["spec"].get("schedulingGates"):
        value["status"]["conditions"] = [{**_GATED, "lastTransitionTime": format_time(now())}]
    join_label_keys(value)
    copy_annotated_profiles(value)


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource == "status":
        _keep_quality(value, old)
        _keep_observed(value["status"], old.get("status", {}))
        drop_disabled_status(value["status"], old.get("status", {}))
    elif subresource in _PARTS:
        _keep_all_but(value, old, _PARTS[subresource])


def _keep_quality(value: JsonObject, old: JsonObject) -> None:
    status, before = value.setdefault("status", {}), old.get("status", {})
    if not status.get("qosClass") and before.get("qosClass"):
        status["qosClass"] = before["qosClass"]


def _keep_observed(status: JsonObject, before: JsonObject) -> None:
    """Keep which generation was observed where a status does not say it; conditions of one type are told by order."""
    _keep_generation(status, before)
    known = list(before.get("conditions", ()))
    for condition in status.get("conditions", ()):
        same = next((each for each in known if each.get("type") == condition.get("type")), None)
        if same is not None:
            known.remove(same)
            _keep_generation(condition, same)


def _keep_generation(value: JsonObject, before: JsonObject) -> None:
    if not value.get("observedGeneration") and before.get("observedGeneration"):
        value["observedGeneration"] = before["observedGeneration"]


def _with_ephemeral(spec: JsonObject, old: JsonObject) -> JsonObject:
    kept = {name: value for name, value in old.items() if name != "ephemeralContainers"}
    return kept | ({"ephemeralContainers": spec["ephemeralContainers"]} if spec.get("ephemeralContainers") else {})


_PARTS: Final = {"ephemeralcontainers": _with_ephemeral, "resize": resized}


def _keep_all_but(value: JsonObject, old: JsonObject, part: Callable[[JsonObject, JsonObject], JsonObject]) -> None:
    """Take over the old pod but for a part of its spec; count where that changed."""
    spec = part(value.get("spec", {}), old["spec"])
    is_same = json_equal(spec, old["spec"])
    metadata = {**old["metadata"], "resourceVersion": value["metadata"]["resourceVersion"]}
    metadata.pop("managedFields", None)
    if "managedFields" in value["metadata"]:
        metadata["managedFields"] = value["metadata"]["managedFields"]
    if not is_same:
        metadata["generation"] = old["metadata"].get("generation", 0) + 1
    value.clear()
    value.update({**old, "metadata": metadata, "spec": spec})


def _grace(pod: JsonObject, asked: int | None) -> int:
    spec = pod.get("spec", {})
    if not spec.get("nodeName") or pod.get("status", {}).get("phase") in ("Failed", "Succeeded"):
        return 0
    period: int = spec.get("terminationGracePeriodSeconds", _USUAL_GRACE) if asked is None else asked
    return 1 if period < 0 else period


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value["spec"]
    errors = list(_whole_errors(value))
    if spec.get("ephemeralContainers"):
        errors.append(field_error.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        wrong = "cannot be set until all schedulingGates have been cleared"
        errors.append(field_error.forbidden("spec.nodeName", wrong))
    if annotations := value["metadata"].get("annotations"):
        errors += profile_mismatch_errors(annotations, spec, path="spec")
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(pod_status_errors(value, old))
    refuse = _REFUSALS.get(subresource)
    if refuse is not None and (refused := refuse(old)):
        return refused
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=True)
    errors += _whole_errors(value)
    if subresource == "resize":
        return errors + list(resize_errors(value, old))
    annotations, before = (each["metadata"].get("annotations") or {} for each in (value, old))
    errors += annotation_change_errors(annotations, before, spec=value["spec"])
    judge = added_only_errors if subresource == "ephemeralcontainers" else pod_change_errors
    return errors + list(judge(value["spec"], old["spec"]))


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return dns_subdomain(before_suffix(name) if is_prefix else name)


def _static_errors(old: JsonObject) -> list[FieldError]:
    if MIRROR not in (old["metadata"].get("annotations") or {}):
        return []
    return [field_error.forbidden(NOWHERE, "static pods do not support ephemeral containers")]


# Pods that one cannot do this with at all: nothing else is told of them.
_REFUSALS: Final[Mapping[str, Callable[[JsonObject], list[FieldError]]]] = {
    "ephemeralcontainers": _static_errors,
    "resize": refused_errors,
}


def _whole_errors(pod: JsonObject) -> Iterator[FieldError]:
    """Judge annotations and spec as a template's are judged, and what is asked of pods alone."""
    spec, metadata = pod["spec"], pod["metadata"]
    if annotations := metadata.get("annotations"):
        yield from annotation_rule_errors(annotations, spec, path="metadata.annotations")
    yield from pod_spec_errors(spec, "spec", metadata=metadata)
    for name in _CONTAINERS:
        for index, container in enumerate(spec.get(name) or ()):
            yield from image_space_errors(container, f"spec.{name}[{index}]")


POD: Final = KindRules(
    outdated=annotated_profile_warnings,
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
    grace=_grace,
)
