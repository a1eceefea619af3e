"""What an author should know though the object is accepted: the `Warning` headers of built-in kinds.

A warning is looked for in a new object, and in a changed one given the old one too; `of` finds a kind's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.warnings.service import service_warnings
from konverge.cluster.apiserver.builtin.warnings.small_kinds import (
    account_warnings,
    driver_warnings,
    ingress_warnings,
    node_warnings,
    resource_slice_warnings,
    slice_warnings,
    volume_warnings,
)
from konverge.cluster.apiserver.builtin.warnings.status_addresses import balancer_warnings, pod_address_warnings
from konverge.cluster.apiserver.builtin.warnings.workloads import (
    claim_warnings,
    cron_job_warnings,
    named_template_warnings,
    pod_kind_warnings,
    pod_template_warnings,
    replication_controller_warnings,
    stateful_set_warnings,
    template_warnings,
)
from konverge.cluster.apiserver.strategy import JsonObject

Warn = Callable[[JsonObject, JsonObject | None], list[str]]

_WARNINGS: Final[Mapping[tuple[str, str], Warn]] = {
    ("", "Node"): node_warnings,
    ("", "PersistentVolume"): volume_warnings,
    ("", "PersistentVolumeClaim"): claim_warnings,
    ("", "Pod"): pod_kind_warnings,
    ("", "PodTemplate"): pod_template_warnings,
    ("", "ReplicationController"): replication_controller_warnings,
    ("", "Service"): service_warnings,
    ("", "ServiceAccount"): account_warnings,
    ("apps", "DaemonSet"): template_warnings,
    ("apps", "Deployment"): named_template_warnings,
    ("apps", "ReplicaSet"): named_template_warnings,
    ("apps", "StatefulSet"): stateful_set_warnings,
    ("batch", "CronJob"): cron_job_warnings,
    ("batch", "Job"): named_template_warnings,
    ("discovery.k8s.io", "EndpointSlice"): slice_warnings,
    ("networking.k8s.io", "Ingress"): ingress_warnings,
    ("resource.k8s.io", "ResourceSlice"): resource_slice_warnings,
    ("storage.k8s.io", "CSIDriver"): driver_warnings,
}
_STATUS_WARNINGS: Final[Mapping[tuple[str, str], Callable[[JsonObject], list[str]]]] = {
    ("", "Pod"): pod_address_warnings,
    ("", "Service"): balancer_warnings,
    ("networking.k8s.io", "Ingress"): balancer_warnings,
}


def of(group: str, kind: str) -> Warn | None:
    """Return what warns of a kind's objects."""
    return _WARNINGS.get((group, kind))


def of_status(group: str, kind: str, value: JsonObject) -> list[str]:
    """Warn of an object's status."""
    found = _STATUS_WARNINGS.get((group, kind))
    return [] if found is None else found(value.get("status") or {})
