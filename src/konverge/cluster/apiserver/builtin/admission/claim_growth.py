"""A claim grows only once it is bound, and only where its storage class lets volumes grow."""

from __future__ import annotations

from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.strategy import JsonObject

_UNBOUND: Final = "Only bound persistent volume claims can be expanded"
_FIXED: Final = (
    "only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize"
)
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


def judge_claim_growth(admission: Admission) -> None:
    """Refuse to let a claim grow that cannot."""
    old = admission.old
    if old is None or admission.subresource or _size(admission.value) <= _size(old):
        return
    if old.get("status", {}).get("phase") != "Bound":
        raise admission.forbidden(_UNBOUND)
    name = _class_of(admission.value)
    found = admission.find(f"storage.k8s.io/storageclasses/{name}") if name and name == _class_of(old) else None
    if found is None or not found.get("allowVolumeExpansion"):
        raise admission.forbidden(_FIXED)


def _size(claim: JsonObject) -> Quantity:
    return Quantity(((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage", 0))


def _class_of(claim: JsonObject) -> str:
    """Return the name of a claim's class; the old way to name it comes first."""
    annotations: JsonObject = claim["metadata"].get("annotations") or {}
    name: str = annotations[_CLASS] if _CLASS in annotations else claim["spec"].get("storageClassName") or ""
    return name
