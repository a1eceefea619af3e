"""Persistent volumes: one source, which stays; pending when new, and the time of each change of phase is kept."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from konverge.api.json_value import json_equal
from konverge.api.quantity import Quantity
from konverge.api.time import format_time
from konverge.clock import now
from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.kind_rules import KindRules
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import backstep_errors
from konverge.cluster.apiserver.builtin.rules.pod.scheduling import node_selector_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_CHANGED: Final = "lastPhaseTransitionTime"
_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_ONE_POD: Final = "ReadWriteOncePod"
_RECLAIM: Final = ("Delete", "Recycle", "Retain")
_VOLUME_MODES: Final = ("Block", "Filesystem")
# In the order in which they are looked at.
_SOURCES: Final = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte"),
    *("cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk"),
    *("portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi"),
)
_SECRETS: Final = (
    *("controllerPublishSecretRef", "controllerExpandSecretRef"),
    *("nodePublishSecretRef", "nodeExpandSecretRef"),
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
        *_capacity_errors(spec.get("capacity") or {}, "spec.capacity"),
        *_choice_errors(spec, "persistentVolumeReclaimPolicy", _RECLAIM),
        *_affinity_errors(spec.get("nodeAffinity"), "spec.nodeAffinity"),
        *_source_errors(spec, "spec"),
        *_class_errors(spec),
    ]


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
    yield from _source_errors(spec, path)
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


def _capacity_errors(capacity: JsonObject, path: str) -> Iterator[FieldError]:
    if not capacity:
        yield field_error.required(path)
    if list(capacity) != ["storage"]:
        yield field_error.not_supported(path, capacity or None, ("storage",))
    for name, amount in capacity.items():
        if Quantity(amount) < Quantity(0):
            yield field_error.invalid(f"{path}[{name}]", amount, "must be a valid resource quantity")
        if Quantity(amount) <= Quantity(0):
            yield field_error.invalid(f"{path}[{name}]", amount, "must be greater than zero")


def _choice_errors(spec: JsonObject, name: str, choices: tuple[str, ...]) -> Iterator[FieldError]:
    if spec.get(name) and spec[name] not in choices:
        yield field_error.not_supported(f"spec.{name}", spec[name], choices)


def _affinity_errors(affinity: JsonObject | None, path: str) -> Iterator[FieldError]:
    if affinity is None:
        return
    if affinity.get("required") is None:
        yield field_error.required(f"{path}.required", "must specify required node constraints")
    else:
        yield from node_selector_errors(affinity["required"], f"{path}.required")


def _source_errors(spec: JsonObject, path: str) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if spec.get(name) is not None]
    if not given:
        yield field_error.required(path, "must specify a volume type")
        return
    yield from _kind_errors(given[0], spec[given[0]], f"{path}.{given[0]}")
    for name in given[1:]:
        yield field_error.forbidden(f"{path}.{name}", "may not specify more than 1 volume type")
    if "local" in given and spec.get("nodeAffinity") is None:
        yield field_error.required(f"{path}.nodeAffinity", "Local volume requires node affinity")


def _kind_errors(kind: str, source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge the sources that are in use; of the retired ones nothing is asked."""
    if kind == "csi":
        yield from driver_name_errors(source.get("driver", ""), f"{path}.driver")
        yield from _required_errors(source, path, "volumeHandle")
        for name in _SECRETS:
            if source.get(name) is not None:
                yield from _secret_errors(source[name], f"{path}.{name}")
    elif kind == "nfs":
        yield from _required_errors(source, path, "server", "path")
        if source.get("path") and not source["path"].startswith("/"):
            yield field_error.invalid(f"{path}.path", source["path"], "must be an absolute path")
    elif kind in ("hostPath", "local"):
        yield from _required_errors(source, path, "path")
        yield from backstep_errors(source.get("path", ""), f"{path}.path")


def _required_errors(source: JsonObject, path: str, *names: str) -> Iterator[FieldError]:
    yield from (field_error.required(f"{path}.{name}") for name in names if not source.get(name))


def _secret_errors(secret: JsonObject, path: str) -> Iterator[FieldError]:
    for name, rule in (("name", name_rules.dns_subdomain), ("namespace", name_rules.dns_label)):
        text = secret.get(name, "")
        if not text:
            yield field_error.required(f"{path}.{name}")
        else:
            yield from (field_error.invalid(f"{path}.{name}", text, wrong) for wrong in rule(text))


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
    spec, before, errors = value.get("spec") or {}, old.get("spec") or {}, _validate(value)
    if any(not json_equal(_lasting(spec, before, name), before.get(name)) for name in _SOURCES):
        wrong = "spec.persistentvolumesource is immutable after creation"
        errors.append(field_error.forbidden("spec.persistentvolumesource", wrong))
    if spec.get("volumeMode") != before.get("volumeMode"):
        errors.append(field_error.invalid("volumeMode", spec.get("volumeMode"), "field is immutable"))
    if before.get("nodeAffinity") is not None and not json_equal(spec.get("nodeAffinity"), before["nodeAffinity"]):
        errors.append(field_error.invalid("nodeAffinity", field_error.OMIT, "field is immutable"))
    if before.get("volumeAttributesClassName") is not None and spec.get("volumeAttributesClassName") is None:
        wrong = "update from non-nil value to nil is forbidden"
        errors.append(field_error.forbidden("spec.volumeAttributesClassName", wrong))
    return errors


def _lasting(spec: JsonObject, old: JsonObject, name: str) -> JsonObject | None:
    """Return a source without the one thing that may be added to it later."""
    source, added = spec.get(name), "controllerExpandSecretRef"
    if name != "csi" or source is None or added in (old.get(name) or {}):
        return source
    return {key: item for key, item in source.items() if key != added}


PERSISTENT_VOLUME: Final = KindRules(
    prepare_for_create=_prepare_for_create,
    prepare_for_update=_prepare_for_update,
    validate=_validate,
    validate_update=_validate_update,
)
