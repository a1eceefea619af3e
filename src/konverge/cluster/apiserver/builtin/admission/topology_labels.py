"""A pod that gets its node gets the node's zone and region too, as labels of its own."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.strategy import JsonObject

_LABELS: Final = ("topology.kubernetes.io/zone", "topology.kubernetes.io/region")


def label_placed_pod(admission: Admission) -> None:
    """Label a new pod that names its node."""
    name = admission.spec.get("nodeName") if admission.is_create else None
    if name:
        _label(admission, name)


def label_binding(admission: Admission) -> None:
    """Label the binding of a pod to a node: the pod takes its labels over."""
    target: JsonObject = admission.value.get("target") or {}
    if target.get("kind") == "Node" and target.get("name"):
        _label(admission, target["name"])


def _label(admission: Admission, node: str) -> None:
    found = admission.find(f"core/nodes/{node}") or {"metadata": {}}
    labels = found["metadata"].get("labels") or {}
    if own := {key: labels[key] for key in _LABELS if key in labels}:
        metadata = admission.value["metadata"]
        metadata["labels"] = {**(metadata.get("labels") or {}), **own}
