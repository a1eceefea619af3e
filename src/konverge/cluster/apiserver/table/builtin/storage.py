"""Kinds of the group storage.k8s.io; storage capacities have no printer of their own."""

from __future__ import annotations

from typing import Final

from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.table.builtin.parts import (
    UNSET,
    Cells,
    Printer,
    age_of,
    below,
    listed,
    name_of,
    or_none,
)

_DEFAULTS: Final = ("storageclass.kubernetes.io/is-default-class", "storageclass.beta.kubernetes.io/is-default-class")


def _csi_driver(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    attaches = spec.get("attachRequired")
    tokens = spec.get("tokenRequests")
    return [
        name_of(value),
        True if attaches is None else attaches,
        bool(spec.get("podInfoOnMount")),
        bool(spec.get("storageCapacity")),
        ",".join(token.get("audience", "") for token in tokens) if tokens else UNSET,
        bool(spec.get("requiresRepublish")),
        or_none(",".join(listed(spec, "volumeLifecycleModes"))),
        age_of(value),
    ]


def _csi_node(value: JsonObject) -> Cells:
    return [name_of(value), len(listed(value, "spec", "drivers")), age_of(value)]


def _storage_class(value: JsonObject) -> Cells:
    annotations = below(value, "metadata", "annotations")
    is_default = any(annotations.get(name) == "true" for name in _DEFAULTS)
    return [
        f"{name_of(value)} (default)" if is_default else name_of(value),
        value.get("provisioner", ""),
        value.get("reclaimPolicy") or "Delete",
        value.get("volumeBindingMode") or "Immediate",
        bool(value.get("allowVolumeExpansion")),
        age_of(value),
    ]


def _volume_attachment(value: JsonObject) -> Cells:
    spec = below(value, "spec")
    return [
        name_of(value),
        spec.get("attacher", ""),
        below(spec, "source").get("persistentVolumeName") or "",
        spec.get("nodeName", ""),
        bool(below(value, "status").get("attached")),
        age_of(value),
    ]


def _volume_attributes_class(value: JsonObject) -> Cells:
    return [name_of(value), value.get("driverName", ""), age_of(value)]


PRINTERS: Final[dict[str, Printer]] = {
    "CSIDriver": _csi_driver,
    "CSINode": _csi_node,
    "StorageClass": _storage_class,
    "VolumeAttachment": _volume_attachment,
    "VolumeAttributesClass": _volume_attributes_class,
}
