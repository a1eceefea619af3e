"""The volumes of a pod: each has a name of its own and exactly one source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.claim_metadata import claim_metadata_errors
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.iscsi_volume import LONG_NAME, iscsi_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import backstep_errors
from konverge.cluster.apiserver.builtin.rules.pod.containers import PULL_POLICIES, choice_errors
from konverge.cluster.apiserver.builtin.rules.pod.projected_volume import (
    config_map_errors,
    downward_errors,
    projected_errors,
    secret_errors,
)
from konverge.cluster.apiserver.builtin.rules.pod.vendor_volumes import VENDOR_VOLUMES, Judge
from konverge.cluster.apiserver.builtin.rules.volume_claim import claim_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.go_text import quoted
from konverge.cluster.apiserver.name_rules import dns_label, dns_subdomain
from konverge.cluster.apiserver.strategy import JsonObject

# In the order in which the real server asks for them.
_SOURCES: Final = (
    "emptyDir",
    "hostPath",
    "gitRepo",
    "gcePersistentDisk",
    "awsElasticBlockStore",
    "secret",
    "nfs",
    "iscsi",
    "glusterfs",
    "flocker",
    "persistentVolumeClaim",
    "rbd",
    "cinder",
    "cephfs",
    "quobyte",
    "downwardAPI",
    "fc",
    "flexVolume",
    "configMap",
    "azureFile",
    "vsphereVolume",
    "photonPersistentDisk",
    "portworxVolume",
    "azureDisk",
    "storageos",
    "projected",
    "scaleIO",
    "csi",
    "ephemeral",
    "image",
)
_MISSPELT: Final = {"cephfs": "cephFS", "downwardAPI": "downwarAPI"}  # as the real server names a second source
_HOST_TYPES: Final = (
    "",
    "BlockDevice",
    "CharDevice",
    "Directory",
    "DirectoryOrCreate",
    "File",
    "FileOrCreate",
    "Socket",
)
_LONGEST_ISCSI_NAME: Final = 64
# What the template of a claim may not have of its metadata, in Go's order and, but for the first letter, its spelling.


def volume_errors(
    volumes: list[JsonObject], path: str, *, metadata: JsonObject | None, known: dict[str, JsonObject]
) -> Iterator[FieldError]:
    """Judge the volumes of a pod with this metadata, or of a template, and put the good ones by name into `known`."""
    pod = (metadata or {}).get("name", "")
    made = [f"{pod}-{each.get('name', '')}" for each in volumes if pod and each.get("ephemeral") is not None]
    for index, volume in enumerate(volumes):
        where, name = f"{path}[{index}]", volume.get("name", "")
        given = [each for each in _SOURCES if volume.get(each) is not None]
        errors = list(_source_errors(volume, where, given=given, is_pod=metadata is not None))
        if "iscsi" in given or given[:1] == ["ephemeral"]:
            errors += _length_errors(volume, where, given=given, pod=pod)
        if not name:
            errors.append(field_error.required(f"{where}.name"))
        else:
            errors += [field_error.invalid(f"{where}.name", name, wrong) for wrong in dns_label(name)]
        if name in known:
            errors.append(field_error.duplicate(f"{where}.name", name))
        if not errors:
            known[name] = volume
        yield from errors
        claim = (volume.get("persistentVolumeClaim") or {}).get("claimName", "")
        if claim in made:
            wrong = "must not reference a PVC that gets created for an ephemeral volume"
            yield field_error.invalid(f"{where}.persistentVolumeClaim.claimName", claim, wrong)


def _source_errors(volume: JsonObject, path: str, *, given: list[str], is_pod: bool) -> Iterator[FieldError]:
    if not given:
        yield field_error.required(path, "must specify a volume type")
        return
    yield from _JUDGES[given[0]](volume[given[0]], f"{path}.{given[0]}")
    if given[0] == "image" and is_pod and not volume["image"].get("reference"):
        yield field_error.required(f"{path}.image.reference")  # of a template, whoever changes pods may put it in
    for name in given[1:]:
        wrong = "may not specify more than 1 volume type"
        yield field_error.forbidden(f"{path}.{_MISSPELT.get(name, name)}", wrong)


def _length_errors(volume: JsonObject, path: str, *, given: list[str], pod: str) -> Iterator[FieldError]:
    """Judge the names that are made of a volume's."""
    name, iscsi = volume.get("name", ""), volume.get("iscsi") or {}
    joined = f"{name}:{iscsi.get('targetPortal', '')}"
    if iscsi.get("initiatorName") is not None and len(joined.encode()) > _LONGEST_ISCSI_NAME:
        yield field_error.invalid(f"{path}.name", name, LONG_NAME)
    if given[0] == "ephemeral" and pod and name:
        claim = f"{pod}-{name}"
        for wrong in dns_subdomain(claim):
            yield field_error.invalid(f"{path}.name", name, f"PVC name {quoted(claim)}: {wrong}")


def _empty_dir_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    limit = source.get("sizeLimit")
    if limit is not None and Quantity(limit) < 0:
        yield field_error.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def host_path_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a folder or a file of the node."""
    if not source.get("path"):
        yield field_error.required(f"{path}.path")
        return
    yield from backstep_errors(source["path"], f"{path}.path")
    if source.get("type", "") not in _HOST_TYPES:
        yield field_error.not_supported(f"{path}.type", source["type"], _HOST_TYPES)


def nfs_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    """Judge a folder of another server."""
    at = source.get("path", "")
    if not source.get("server"):
        yield field_error.required(f"{path}.server")
    if not at:
        yield field_error.required(f"{path}.path")
    if not at.startswith("/"):
        yield field_error.invalid(f"{path}.path", at, "must be an absolute path")


def _claim_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("claimName"):
        yield field_error.required(f"{path}.claimName")


def _ephemeral_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield field_error.required(f"{path}.volumeClaimTemplate")
        return
    yield from claim_metadata_errors(template.get("metadata") or {}, f"{path}.volumeClaimTemplate.metadata")
    for error in claim_errors(template.get("spec") or {}):
        yield replace(error, field=f"{path}.volumeClaimTemplate.{error.field}")


def _image_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    return choice_errors(source.get("pullPolicy", ""), f"{path}.pullPolicy", choices=PULL_POLICIES)


def _csi_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    secret = source.get("nodePublishSecretRef")
    yield from driver_name_errors(source.get("driver", ""), f"{path}.driver")
    if secret is None:
        return
    name = secret.get("name", "")
    if not name:
        yield field_error.required(f"{path}.nodePublishSecretRef.name")
    else:
        yield from (field_error.invalid(f"{path}.name", name, wrong) for wrong in dns_subdomain(name))


_JUDGES: Final[Mapping[str, Judge]] = {
    **VENDOR_VOLUMES,
    "emptyDir": _empty_dir_errors,
    "hostPath": host_path_errors,
    "secret": secret_errors,
    "nfs": nfs_errors,
    "iscsi": iscsi_errors,
    "csi": _csi_errors,
    "persistentVolumeClaim": _claim_errors,
    "downwardAPI": downward_errors,
    "configMap": config_map_errors,
    "projected": projected_errors,
    "ephemeral": _ephemeral_errors,
    "image": _image_errors,
}
