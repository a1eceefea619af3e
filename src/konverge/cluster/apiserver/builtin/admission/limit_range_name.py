"""A limit range needs no name: one without gets a uid for it."""

from __future__ import annotations

from konverge.cluster.apiserver.builtin.admission.admission import Admission


def name_limit_range(admission: Admission) -> None:
    """Name a new limit range."""
    metadata = admission.value["metadata"]
    if admission.is_create and not metadata.get("name") and not metadata.get("generateName"):
        metadata["name"] = admission.ids.uid()
