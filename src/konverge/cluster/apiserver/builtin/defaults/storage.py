"""Defaults of storage classes and drivers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants
from konverge.cluster.apiserver.strategy import JsonObject


def _driver(value: JsonObject) -> None:
    if not value.get("volumeLifecycleModes"):
        value["volumeLifecycleModes"] = ["Persistent"]
    _driver_constants(value)


_driver_constants = constants(
    attachRequired=True,
    podInfoOnMount=False,
    storageCapacity=False,
    fsGroupPolicy="ReadWriteOnceWithFSType",
    requiresRepublish=False,
    seLinuxMount=False,
)

DEFAULTS: Final[Mapping[str, Default]] = {
    "CSIDriverSpec": _driver,
    "StorageClass": constants(reclaimPolicy="Delete", volumeBindingMode="Immediate"),
}
