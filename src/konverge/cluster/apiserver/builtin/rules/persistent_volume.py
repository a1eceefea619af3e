"""Persistent volumes: one source, which stays; pending when new, and the time of each change of phase is kept."""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.api.quantity import Quantity
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.internal_form import internal_difference
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.volume_affinity import affinity_errors, changed_affinity_errors
from konverge.cluster.apiserver.builtin.rules.volume_source import SOURCES, volume_source_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject
from konverge.cluster.apiserver.writing.metadata_rules import new_metadata_errors

_CHANGED: Final = "lastPhaseTransitionTime"
_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ONE_POD: Final = "ReadWriteOncePod"
_RECLAIM: Final = ("Delete", "Recycle", "Retain")
_VOLUME_MODES: Final = ("Block", "Filesystem")
_FIXED: Final = "spec.persistentvolumesource is immutable after creation"
_OPTIONS: Final = "volume.beta.kubernetes.io/mount-options"
_WITH_OPTIONS: Final = (
    *("gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "nfs", "rbd", "quobyte", "iscsi", "cinder", "cephfs"),
    *("azureFile", "vsphereVolume", "azureDisk", "photonPersistentDisk"),
)
_INLINE: Final = "may not be specified in the context of inline volumes"


def _prepare_for_create(value: JsonObject) -> None:
    value["status"] = {"phase": "Pending", _CHANGED: format_time(now())}


def _prepare_for_update(value: JsonObject, old: JsonObject, subresource: str) -> None:
    if subresource != "status":
        return
    status, before = value.setdefault("status", {}), old.get("status", {})
    if status.get("phase") == before.get("phase"):
        if _CHANGED not in status and _CHANGED in before:
            status[_CHANGED] = before[_CHANGED]
    elif status.get(_CHANGED) in (None, before.get(_CHANGED)):
        status[_CHANGED] = format_time(now())


def _validate(value: JsonObject) -> list[FieldError]:
    spec = value.get("spec") or {}
    return [
        *_mode_errors(spec.get("accessModes") or [], "spec"),
        *_capacity_errors(spec.get("capacity"), "spec.capacity"),
        *_choice_errors(spec, "persistentVolumeReclaimPolicy", _RECLAIM),
        *affinity_errors(spec.get("nodeAffinity"), "spec.nodeAffinity"),
        *volume_source_errors(spec, "spec", volume=value["metadata"].get("name", "")),
        *_recycling_errors(spec, "spec"),
        *_class_errors(spec),
        *_option_errors(value),
    ]


def _option_errors(value: JsonObject) -> Iterator[FieldError]:
    """Judge options of mounting in the old way, which few kinds of volumes have."""
    annotations, spec = value["metadata"].get("annotations") or {}, value.get("spec") or {}
    if _OPTIONS in annotations and not any(spec.get(name) is not None for name in _WITH_OPTIONS):
        wrong = "may not specify mount options for this volume type"
        yield field_error.forbidden(f"metadata.annotations.{_OPTIONS}", wrong)


def inline_volume_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a volume that stands in an attachment: only CSI, and bound to nothing."""
    for name in ("claimRef", "capacity"):
        if spec.get(name):
            yield field_error.forbidden(f"{path}.{name}", _INLINE)
    if spec.get("csi") is None:
        yield field_error.required(f"{path}.csi", "has to be specified in the context of inline volumes")
    yield from _mode_errors(spec.get("accessModes") or [], path)
    if spec.get("persistentVolumeReclaimPolicy", "Retain") not in ("", "Retain"):
        wrong = "may only be Retain in the context of inline volumes"
        yield field_error.forbidden(f"{path}.persistentVolumeReclaimPolicy", wrong)
    if spec.get("nodeAffinity") is not None:
        yield field_error.forbidden(f"{path}.nodeAffinity", _INLINE)
    yield from volume_source_errors(spec, path, volume="")
    yield from _recycling_errors(spec, path)
    if spec.get("storageClassName"):
        yield field_error.forbidden(f"{path}.storageClassName", _INLINE)
    if spec.get("volumeMode", "Filesystem") != "Filesystem":
        wrong = "may not specify volumeMode other than Filesystem in the context of inline volumes"
        yield field_error.forbidden(f"{path}.volumeMode", wrong)


def _mode_errors(modes: list[str], path: str) -> Iterator[FieldError]:
    if not modes:
        yield field_error.required(f"{path}.accessModes")
    for mode in modes:
        if mode not in _MODES:
            yield field_error.not_supported(f"{path}.accessModes", mode, _MODES)
    if _ONE_POD in modes and any(mode != _ONE_POD for mode in modes if mode in _MODES):
        yield field_error.forbidden(f"{path}.accessModes", "may not use ReadWriteOncePod with other access modes")


def _capacity_errors(capacity: JsonObject | None, path: str) -> Iterator[FieldError]:
    if not capacity:
        yield field_error.required(path)
    if list(capacity or ()) != ["storage"]:
        yield field_error.not_supported(path, capacity, ("storage",))
    for name, amount in (capacity or {}).items():
        size = Quantity(amount)
        if size < 0:
            yield field_error.invalid(f"{path}[{name}]", size.value(), "must be a valid resource quantity")
        if size <= 0:
            yield field_error.invalid(f"{path}[{name}]", str(size), "must be greater than zero")


def _choice_errors(spec: JsonObject, name: str, choices: tuple[str, ...]) -> Iterator[FieldError]:
    if spec.get(name) and spec[name] not in choices:
        yield field_error.not_supported(f"spec.{name}", spec[name], choices)


def _recycling_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge who would recycle all of a node."""
    host = spec.get("hostPath")
    is_root = host is not None and posixpath.normpath(host.get("path", "") or ".") in ("/", "//")
    if is_root and spec.get("persistentVolumeReclaimPolicy") == "Recycle":
        wrong = "may not be 'recycle' for a hostPath mount of '/'"
        yield field_error.forbidden(f"{path}.persistentVolumeReclaimPolicy", wrong)


def _class_errors(spec: JsonObject) -> Iterator[FieldError]:
    storage, attributes = spec.get("storageClassName", ""), spec.get("volumeAttributesClassName")
    if storage:
        wrongs = name_rules.dns_subdomain(storage)
        yield from (field_error.invalid("spec.storageClassName", storage, wrong) for wrong in wrongs)
    yield from _choice_errors(spec, "volumeMode", _VOLUME_MODES)
    if attributes is None:
        return
    path = "spec.volumeAttributesClassName"
    if not attributes:
        yield field_error.required(path, "an empty string is disallowed")
    else:
        yield from (field_error.invalid(path, attributes, wrong) for wrong in name_rules.dns_subdomain(attributes))
    if spec.get("csi") is None:
        yield field_error.required("spec.csi", "has to be specified when using volumeAttributesClassName")


def _validate_update(value: JsonObject, old: JsonObject, subresource: str) -> list[FieldError]:
    if subresource:
        return []
    # As the real server does: by itself first, then as a change, which judges it once more.
    errors = new_metadata_errors(value["metadata"], _name_rule, namespaced=False)
    again = [error for error in _validate(value) if not error.field.startswith("metadata.")]
    return [*errors, *_validate(value), *again, *_change_errors(value.get("spec") or {}, old.get("spec") or {})]


def _name_rule(name: str, *, is_prefix: bool = False) -> list[str]:
    return name_rules.dns_subdomain(name_rules.before_suffix(name) if is_prefix else name)


def _change_errors(spec: JsonObject, before: JsonObject) -> Iterator[FieldError]:
    kept, was = ({name: each[name] for name in SOURCES if name in each} for each in (_lasting(spec, before), before))
    if not json_equal(kept, was):
        difference = internal_difference("core.PersistentVolumeSource", was, kept)
        yield field_error.forbidden("spec.persistentvolumesource", f"{_FIXED}\n{difference}")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield field_error.invalid("volumeMode", spec.get("volumeMode"), "field is immutable")
    yield from changed_affinity_errors(spec.get("nodeAffinity"), before.get("nodeAffinity"))
    if before.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        wrong = "update from non-nil value to nil is forbidden"
        yield field_error.forbidden("spec.volumeAttributesClassName", wrong)


def _lasting(spec: JsonObject, old: JsonObject) -> JsonObject:
    """Return a spec without the one thing that may be added to its source later."""
    source, added = spec.get("csi"), "controllerExpandSecretRef"
    if source is None or old.get("csi") is None or added in old["csi"]:
        return spec
    return {**spec, "csi": {name: item for name, item in source.items() if name != added}}


PERSISTENT_VOLUME: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
