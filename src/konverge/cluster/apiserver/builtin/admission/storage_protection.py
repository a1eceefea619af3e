"""Volumes, claims and their classes are not gone while someone uses them: each new one carries a finalizer."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission

_FINALIZERS: Final = {
    "persistentvolumes": "kubernetes.io/pv-protection",
    "persistentvolumeclaims": "kubernetes.io/pvc-protection",
    "volumeattributesclasses": "kubernetes.io/vac-protection",
}


def protect_storage(admission: Admission) -> None:
    """Add the finalizer of the kind."""
    if not admission.is_create:
        return
    metadata, finalizer = admission.value["metadata"], _FINALIZERS[admission.resource.plural]
    given = metadata.get("finalizers", [])
    if finalizer not in given:
        metadata["finalizers"] = [*given, finalizer]
