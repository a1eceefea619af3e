"""Persistent volumes and their claims."""

from __future__ import annotations

from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import (
    UNSET,
    Cells,
    Printer,
    age_of,
    below,
    is_deleted,
    listed,
    name_of,
    quantity_text,
)

_MODES: Final = {"ReadWriteOnce": "RWO", "ReadOnlyMany": "ROX", "ReadWriteMany": "RWX", "ReadWriteOncePod": "RWOP"}
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"


def _access_modes(modes: list[str]) -> str:
    return ",".join(short for mode, short in _MODES.items() if mode in modes)


def _class(value: JsonObject) -> str:
    annotations = below(value, "metadata", "annotations")
    found: str = annotations[_CLASS] if _CLASS in annotations else below(value, "spec").get("storageClassName") or ""
    return found


def _phase(value: JsonObject) -> str:
    return "Terminating" if is_deleted(value) else str(below(value, "status").get("phase", ""))


def _given(value: Any) -> Any:
    return UNSET if value is None else value


def _persistent_volume(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    claim = spec.get("claimRef")
    return [
        name_of(value),
        quantity_text(below(spec, "capacity").get("storage")),
        _access_modes(listed(spec, "accessModes")),
        spec.get("persistentVolumeReclaimPolicy", ""),
        _phase(value),
        "" if claim is None else f"{claim.get('namespace', '')}/{claim.get('name', '')}",
        _class(value),
        _given(spec.get("volumeAttributesClassName")),
        below(value, "status").get("reason", ""),
        age_of(value),
        _given(spec.get("volumeMode")),
    ]


def _persistent_volume_claim(value: JsonObject) -> Cells:
    spec, status = below(value, "spec"), below(value, "status")
    capacity, modes = "", ""
    if spec.get("volumeName"):
        capacity = quantity_text(below(status, "capacity").get("storage"))
        modes = _access_modes(listed(status, "accessModes"))
    return [
        name_of(value),
        _phase(value),
        spec.get("volumeName", ""),
        capacity,
        modes,
        _class(value),
        _given(spec.get("volumeAttributesClassName")),
        age_of(value),
        _given(spec.get("volumeMode")),
    ]


PRINTERS: Final[dict[str, Printer]] = {
    "PersistentVolume": _persistent_volume,
    "PersistentVolumeClaim": _persistent_volume_claim,
}
