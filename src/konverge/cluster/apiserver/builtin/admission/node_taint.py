"""A new node is not ready: nothing is scheduled on it until it says so."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission

_TAINT: Final = {"key": "node.kubernetes.io/not-ready", "effect": "NoSchedule"}


def taint_node(admission: Admission) -> None:
    """Taint a new node."""
    if not admission.is_create:
        return
    given = admission.spec.get("taints", [])
    if not any((each.get("key"), each.get("effect")) == tuple(_TAINT.values()) for each in given):
        admission.spec["taints"] = [*given, dict(_TAINT)]
