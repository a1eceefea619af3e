"""The status of a pod: what the kubelet and the scheduler may say of it, and what they may not take back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.annotations import annotation_change_errors
from konverge.cluster.apiserver.builtin.rules.status.container_reports import report_errors
from konverge.cluster.apiserver.builtin.rules.status.container_states import state_errors
from konverge.cluster.apiserver.builtin.rules.status.pod_addresses import pod_address_errors
from konverge.cluster.apiserver.builtin.rules.status.pod_claims import claim_status_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_subdomain, qualified_name
from konverge.cluster.apiserver.strategy import JsonObject

_OF_KUBERNETES: Final = ("PodScheduled", "Ready", "Initialized")
_NEGATIVE: Final = "must be a non-negative integer"
_STATUSES: Final = ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses")


def pod_status_errors(value: JsonObject, old: JsonObject) -> Iterator[FieldError]:
    """Judge a status by itself, and against the one before."""
    status, before, spec = value.get("status") or {}, old.get("status") or {}, value["spec"]
    annotations, kept = (each["metadata"].get("annotations") or {} for each in (value, old))
    yield from annotation_change_errors(annotations, kept, spec=spec)
    yield from _condition_errors(status)
    yield from _nomination_errors(status.get("nominatedNodeName", ""), before, is_bound=bool(spec.get("nodeName")))
    if (generation := status.get("observedGeneration", 0)) < 0:
        yield field_error.invalid("status.observedGeneration", generation, _NEGATIVE)
    if (quality := status.get("qosClass", "")) != before.get("qosClass", ""):
        yield field_error.invalid("status.qosClass", quality, "field is immutable")
    yield from state_errors(status, before, spec=spec)
    yield from claim_status_errors(status, spec)
    yield from pod_address_errors(status, before)
    yield from report_errors(status, spec)


def _condition_errors(status: JsonObject) -> Iterator[FieldError]:
    for index, condition in enumerate(status.get("conditions") or ()):
        path, kind = f"status.conditions[{index}]", condition.get("type", "")
        if (generation := condition.get("observedGeneration", 0)) < 0:
            yield field_error.invalid(f"{path}.observedGeneration", generation, _NEGATIVE)
        if kind not in _OF_KUBERNETES:
            yield from (field_error.invalid(f"{path}.Type", kind, wrong) for wrong in qualified_name(kind))


def _nomination_errors(name: str, before: JsonObject, *, is_bound: bool) -> Iterator[FieldError]:
    path = "status.nominatedNodeName"
    if not name or name == before.get("nominatedNodeName", ""):
        return
    yield from (field_error.invalid(path, name, wrong) for wrong in dns_subdomain(name))
    if is_bound:
        yield field_error.forbidden(path, "may not be set on pods that are already bound to a node")


def drop_disabled_status(status: JsonObject, before: JsonObject) -> None:
    """Drop the fields whose features are off by default, where the old status does not use them."""
    if not before.get("nodeAllocatableResourceClaimStatuses"):
        status.pop("nodeAllocatableResourceClaimStatuses", None)
    if not any("volumeStatus" in mount for mount in _mounts(before)):
        for mount in _mounts(status):
            mount.pop("volumeStatus", None)


def _mounts(status: JsonObject) -> Iterator[JsonObject]:
    for name in _STATUSES:
        for container in status.get(name) or ():
            yield from container.get("volumeMounts") or ()
