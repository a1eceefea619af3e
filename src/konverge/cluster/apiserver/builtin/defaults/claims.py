"""Defaults of persistent volumes and of claims to them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants
from konverge.cluster.apiserver.strategy import JsonObject

_FILES: Final = "Filesystem"


def _volume(value: JsonObject) -> None:
    _pending(value)
    spec = value.setdefault("spec", {})
    if not spec.get("persistentVolumeReclaimPolicy"):
        spec["persistentVolumeReclaimPolicy"] = "Retain"
    spec.setdefault("volumeMode", _FILES)


def _pending(value: JsonObject) -> None:
    status = value.setdefault("status", {})
    if not status.get("phase"):
        status["phase"] = "Pending"


DEFAULTS: Final[Mapping[str, Default]] = {
    "PersistentVolume": _volume,
    "PersistentVolumeClaim": _pending,
    "PersistentVolumeClaimSpec": constants(volumeMode=_FILES),
}
