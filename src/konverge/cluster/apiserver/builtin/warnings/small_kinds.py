"""Warnings of kinds that have few."""

from __future__ import annotations

from typing import Final

from konverge.api.json_value import json_equal
from konverge.cluster.apiserver.builtin.warnings.addresses import address_warnings, range_warnings
from konverge.cluster.apiserver.builtin.warnings.node_labels import term_warnings
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.strategy import JsonObject

_MOUNTABLE: Final = "kubernetes.io/enforce-mountable-secrets"
_INGRESS_CLASS: Final = "kubernetes.io/ingress.class"
_VOLUME_ANNOTATIONS: Final = {
    "volume.beta.kubernetes.io/storage-class": 'deprecated since v1.8; use "storageClassName" attribute instead',
    "volume.beta.kubernetes.io/mount-options": 'deprecated since v1.31; use "mountOptions" attribute instead',
}
OLD_VOLUMES: Final = {
    "photonPersistentDisk": "deprecated in v1.11, non-functional in v1.16+",
    "gitRepo": "deprecated in v1.11, and disabled by default in v1.33+",
    "scaleIO": "deprecated in v1.16, non-functional in v1.22+",
    "flocker": "deprecated in v1.22, non-functional in v1.25+",
    "storageos": "deprecated in v1.22, non-functional in v1.25+",
    "quobyte": "deprecated in v1.22, non-functional in v1.25+",
    "glusterfs": "deprecated in v1.25, non-functional in v1.26+",
    "cephfs": "deprecated in v1.28, non-functional in v1.31+",
    "rbd": "deprecated in v1.28, non-functional in v1.31+",
}
_SLICE_CONTROLLERS: Final = ("endpointslice-controller.k8s.io", "endpointslicemirroring-controller.k8s.io")
_OF_VOLUMES: Final = ("cephfs", "photonPersistentDisk", "scaleIO", "storageos", "glusterfs", "rbd")


def shown_volume(name: str) -> str:
    """Return what a warning calls a type of volume: one of them by another name than its field has."""
    return "storageOS" if name == "storageos" else name


def account_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn who begins to enforce which secrets can be mounted."""
    had = old is not None and _MOUNTABLE in old["metadata"].get("annotations", {})
    if had or _MOUNTABLE not in value["metadata"].get("annotations", {}):
        return []
    why = "deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets"
    return [f"metadata.annotations[{_MOUNTABLE}]: {why}"]


def ingress_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of the old way to name a class, in a new ingress."""
    annotations = value["metadata"].get("annotations", {})
    if old is not None or _INGRESS_CLASS not in annotations or "ingressClassName" in value["spec"]:
        return []
    return [f"annotation \"{_INGRESS_CLASS}\" is deprecated, please use 'spec.ingressClassName' instead"]


def driver_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of a driver whose tokens may be logged."""
    spec, before = value["spec"], {} if old is None else old["spec"]
    is_same = json_equal(spec.get("tokenRequests"), before.get("tokenRequests"))
    if is_same or not spec.get("tokenRequests") or "serviceAccountTokenInSecrets" in spec:
        return []
    remedy = "if supported by this CSI driver, set to true to prevent possible logging of tokens in volume attributes"
    return [f"spec.serviceAccountTokenInSecrets is unset; {remedy}"]


def resource_slice_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:  # noqa: ARG001 - as every kind's
    """Warn of a driver whose name has capitals."""
    driver = value["spec"].get("driver", "")
    if driver == driver.lower():
        return []
    return [f"spec.driver: driver names should be lowercase; {quoted(driver)} contains uppercase characters"]


def volume_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:  # noqa: ARG001 - as every kind's
    """Warn of what is deprecated in a persistent volume."""
    spec, annotations = value["spec"], value["metadata"].get("annotations", {})
    found = [f"metadata.annotations[{key}]: {text}" for key, text in _VOLUME_ANNOTATIONS.items() if key in annotations]
    if spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        better = "Instead, the recommended approach is to use dynamic provisioning."
        found.append(f"spec.persistentVolumeReclaimPolicy: The Recycle reclaim policy is deprecated. {better}")
    for index, term in enumerate(spec.get("nodeAffinity", {}).get("required", {}).get("nodeSelectorTerms") or ()):
        found += term_warnings(f"spec.nodeAffinity.required.nodeSelectorTerms[{index}]", term)
    return found + [f"spec.{shown_volume(name)}: {OLD_VOLUMES[name]}" for name in _OF_VOLUMES if name in spec]


def slice_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:
    """Warn of names in place of addresses, and of addresses in odd forms; controllers write none."""
    is_name = value.get("addressType") == "FQDN"
    found = ["spec.addressType: FQDN endpoints are deprecated"] if is_name and old is None else []
    if value["metadata"].get("labels", {}).get("endpointslice.kubernetes.io/managed-by") in _SLICE_CONTROLLERS:
        return found
    for index, endpoint in enumerate(value.get("endpoints") or ()):
        for number, address in enumerate(endpoint.get("addresses") or ()):
            found += address_warnings(f"endpoints[{index}].addresses[{number}]", address)
    return found


def node_warnings(value: JsonObject, old: JsonObject | None) -> list[str]:  # noqa: ARG001 - as every kind's
    """Warn of fields that nobody reads any more."""
    spec, found = value.get("spec") or {}, []
    if spec.get("configSource") is not None:
        found.append("spec.configSource: the feature is removed")
    if spec.get("externalID"):
        found.append("spec.externalID: this field is deprecated, and is unused by Kubernetes")
    for index, text in enumerate(spec.get("podCIDRs") or ()):
        found += range_warnings(f"spec.podCIDRs[{index}]", text)
    return found
