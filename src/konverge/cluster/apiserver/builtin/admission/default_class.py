"""Claims and ingresses that name no class get the default one: the newest of those that are marked as such."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.builtin.admission.admission import Admission
from konverge.cluster.apiserver.strategy import JsonObject

_STORAGE_MARKS: Final = (
    "storageclass.kubernetes.io/is-default-class",
    "storageclass.beta.kubernetes.io/is-default-class",
)
_INGRESS_MARKS: Final = ("ingressclass.kubernetes.io/is-default-class",)


def set_storage_class(admission: Admission) -> None:
    """Give a new claim the default storage class."""
    annotations = admission.value["metadata"].get("annotations", {})
    has_class = "storageClassName" in admission.spec or "volume.beta.kubernetes.io/storage-class" in annotations
    if admission.is_create and not has_class:
        _set(admission, "storageClassName", _default(admission, "storage.k8s.io/storageclasses", _STORAGE_MARKS))


def set_ingress_class(admission: Admission) -> None:
    """Give a new ingress the default class."""
    annotations = admission.value["metadata"].get("annotations", {})
    has_class = "ingressClassName" in admission.spec or "kubernetes.io/ingress.class" in annotations
    if admission.is_create and not has_class:
        _set(admission, "ingressClassName", _default(admission, "networking.k8s.io/ingressclasses", _INGRESS_MARKS))


def _set(admission: Admission, field: str, name: str) -> None:
    if name:
        admission.spec[field] = name


def _default(admission: Admission, path: str, marks: tuple[str, ...]) -> str:
    """Return the name of the default class; by name where several are of the same second."""
    found = [each["metadata"] for each in admission.every(path) if _is_default(each, marks)]
    newest = max((metadata["creationTimestamp"] for metadata in found), default="")
    return min((metadata["name"] for metadata in found if metadata["creationTimestamp"] == newest), default="")


def _is_default(value: JsonObject, marks: tuple[str, ...]) -> bool:
    annotations = value["metadata"].get("annotations", {})
    return any(annotations.get(mark) == "true" for mark in marks)
