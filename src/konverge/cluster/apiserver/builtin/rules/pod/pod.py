"""Pods: pending when they are new, hardly changed after that, given time to end once they are on a node."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from konverge.api.json_value import json_equal
from konverge.api.quantity import Quantity
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.label_keys import join_label_keys
from konverge.cluster.apiserver.builtin.rules.pod.containers import image_space_errors
from konverge.cluster.apiserver.builtin.rules.pod.spec import pod_spec_errors
from konverge.cluster.apiserver.builtin.rules.pod.update import added_only_errors, pod_change_errors
from konverge.cluster.apiserver.builtin.rules.status.pod import drop_disabled_status, pod_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import before_suffix, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_CONTAINERS: Final = ("containers", "initContainers")
_COUNTED: Final = ("cpu", "memory")  # the resources that a quality of service goes by

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


def _resized(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Take the containers' resources, and nothing else of them."""
    return {name: _resized_containers(spec.get(name), old[name]) for name in _CONTAINERS if old.get(name)}


def _resized_containers(new: Any, old: Any) -> list[JsonObject]:
    wanted = {container["name"]: container for container in new or ()}
    kept = []
    for container in old:
        given = wanted.get(container["name"], {})
        kept.append({**container, **{name: given[name] for name in ("resources", "resizePolicy") if name in given}})
    return kept


def _ephemeral(spec: JsonObject, old: JsonObject) -> JsonObject:  # noqa: ARG001 - as the other part
    name = "ephemeralContainers"
    return {name: spec[name]} if spec.get(name) else {}


_PARTS: Final = {"ephemeralcontainers": _ephemeral, "resize": _resized}


def _keep_all_but(value: JsonObject, old: JsonObject, part: Callable[[JsonObject, JsonObject], JsonObject]) -> None:
    """Take over the old pod but for a part of its spec; count where that changed."""
    spec = {**old["spec"], **part(value.get("spec", {}), old["spec"])}
    is_same = json_equal(spec, old["spec"])
    metadata = {**old["metadata"], "resourceVersion": value["metadata"]["resourceVersion"]}
    metadata.pop("managedFields", None)
    if "managedFields" in value["metadata"]:
        metadata["managedFields"] = value["metadata"]["managedFields"]
    if not is_same:
        metadata["generation"] = old["metadata"].get("generation", 0) + 1
    value.clear()
    value.update({**old, "metadata": metadata, "spec": spec})


def quality_of_service(pod: JsonObject) -> str:
    """Return a pod's class: by whether all, some or none of its containers say what they need."""
    spec = pod["spec"]
    is_whole = any(spec.get("resources", {}).get(part) for part in ("requests", "limits"))
    needs = [_needs(each) for each in ([spec] if is_whole else _containers(spec))]
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


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value["spec"]
    errors = list(_whole_errors(spec))
    if spec.get("ephemeralContainers"):
        errors.append(field_error.forbidden("spec.ephemeralContainers", "cannot be set on create"))
    if spec.get("nodeName") and spec.get("schedulingGates"):
        wrong = "cannot be set until all schedulingGates have been cleared"
        errors.append(field_error.forbidden("spec.nodeName", wrong))
    return errors


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource == "status":
        return list(pod_status_errors(value, old))
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=True)
    errors += _whole_errors(value["spec"])
    if subresource == "ephemeralcontainers":
        errors += added_only_errors(value["spec"], old["spec"])
    return errors if subresource else errors + list(pod_change_errors(value["spec"], old["spec"]))


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return dns_subdomain(before_suffix(name) if is_prefix else name)


def _whole_errors(spec: JsonObject) -> Iterator[FieldError]:
    """Judge a spec as a template's is judged, and what is asked of pods alone."""
    yield from pod_spec_errors(spec, "spec", is_pod=True)
    for name in _CONTAINERS:
        for index, container in enumerate(spec.get(name) or ()):
            yield from image_space_errors(container, f"spec.{name}[{index}]")


POD: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
    grace=_grace,
)
