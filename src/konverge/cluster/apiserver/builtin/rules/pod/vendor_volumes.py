"""Volumes of single vendors and of kinds that are retired: nothing mounts most of them any more, but they are judged.

Each rule takes the source and the path under which its faults are told, which is not always the source's own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import descending_path_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.name_rules import dns_label
from konverge.cluster.apiserver.strategy import JsonObject

Judge = Callable[[JsonObject, str], Iterator[FieldError]]
_LARGEST: Final = 255  # a partition, a unit
_PARTITION_TEXT: Final = "must be between 1 and 255, inclusive"  # though 0 is taken
_TENANT_LENGTH: Final = 64
_REGISTRY_TEXT: Final = "must be a host:port pair or multiple pairs separated by commas"
_CACHING_MODES: Final = ("None", "ReadOnly", "ReadWrite")
_DISK_KINDS: Final = ("Dedicated", "Managed", "Shared")
_MANAGED_DISK: Final = "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}"
_BLOB_DISK: Final = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd"
_RESERVED: Final = (".kubernetes.io", ".k8s.io")


def _required(*names: str) -> Judge:
    """Return the rule of a source that only must have these fields."""

    def judge(source: JsonObject, path: str) -> Iterator[FieldError]:
        return (field_error.required(f"{path}.{name}") for name in names if not source.get(name))

    return judge


def _git_repo_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("repository"):
        yield field_error.required(f"{path}.repository")
    yield from descending_path_errors(source.get("directory", ""), f"{path}.directory")


def _disk_errors(source: JsonObject, path: str, *, name: str) -> Iterator[FieldError]:
    partition = source.get("partition", 0)
    if not source.get(name):
        yield field_error.required(f"{path}.{name}")
    if not 0 <= partition <= _LARGEST:
        yield field_error.invalid(f"{path}.partition", partition, _PARTITION_TEXT)


def _gce_disk_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    return _disk_errors(source, f"{path.rpartition('.')[0]}.persistentDisk", name="pdName")


def _aws_disk_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    return _disk_errors(source, path, name="volumeID")


def _flocker_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    name, uid = source.get("datasetName", ""), source.get("datasetUUID", "")
    if not name and not uid:
        yield field_error.required(path, "one of datasetName and datasetUUID is required")
    if name and uid:
        wrong = "datasetName and datasetUUID can not be specified simultaneously"
        yield field_error.invalid(path, "resource", wrong)
    if "/" in name:
        yield field_error.invalid(f"{path}.datasetName", name, "must not contain '/'")


def _secret_name_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    secret = source.get("secretRef")
    if secret is not None and not secret.get("name"):
        yield field_error.required(f"{path}.secretRef.name")


def _cinder_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("volumeID"):
        yield field_error.required(f"{path}.volumeID")
    yield from _secret_name_errors(source, path)


def _quobyte_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    registry = source.get("registry", "")
    if not registry:
        yield field_error.required(f"{path}.registry", _REGISTRY_TEXT)
    elif len(source.get("tenant", "").encode()) > _TENANT_LENGTH:
        needed = f"must be a UUID and may not exceed a length of {_TENANT_LENGTH} characters"
        yield field_error.required(f"{path}.tenant", needed)
    else:
        for pair in registry.split(","):
            if not _is_host_and_port(pair):
                yield field_error.invalid(f"{path}.registry", registry, _REGISTRY_TEXT)
    if not source.get("volume"):
        yield field_error.required(f"{path}.volume")


def _is_host_and_port(text: str) -> bool:
    """Whether Go takes a text apart into a host and a port; either may be empty."""
    host, colon, port = text.rpartition(":")
    if not colon:
        return False
    if host.startswith("["):
        return host.endswith("]") and not any(each in host[1:-1] + port for each in "[]")
    return not any(each in text for each in "[]") and ":" not in host


def _fibre_channel_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    names, unit = source.get("targetWWNs") or [], source.get("lun")
    if not names and not source.get("wwids"):
        yield field_error.required(f"{path}.targetWWNs", "must specify either targetWWNs or wwids, but not both")
    if not names:
        return
    if source.get("wwids"):
        wrong = "targetWWNs and wwids can not be specified simultaneously"
        yield field_error.invalid(f"{path}.targetWWNs", names, wrong)
    if unit is None:
        yield field_error.required(f"{path}.lun", "lun is required if targetWWNs is specified")
    elif not 0 <= unit <= _LARGEST:
        yield field_error.invalid(f"{path}.lun", unit, f"must be between 0 and {_LARGEST}, inclusive")


def _flex_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("driver"):
        yield field_error.required(f"{path}.driver")
    for key in source.get("options") or ():
        if f".{key.partition('/')[0].lower()}".endswith(_RESERVED):
            wrong = "kubernetes.io and k8s.io namespaces are reserved"
            yield field_error.invalid(f"{path}.options[{key}]", key, wrong)


def _azure_disk_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    address, kind = source.get("diskURI", ""), source.get("kind")
    yield from _required("diskName", "diskURI")(source, path)
    mode = source.get("cachingMode")
    if mode is not None and mode not in _CACHING_MODES:
        yield field_error.not_supported(f"{path}.cachingMode", mode, _CACHING_MODES)
    if kind is None:
        return
    if kind not in _DISK_KINDS:
        yield field_error.not_supported(f"{path}.kind", kind, _DISK_KINDS)
    begin, form = ("/subscriptions/", _MANAGED_DISK) if kind == "Managed" else ("https://", _BLOB_DISK)
    if not address.startswith(begin):
        yield field_error.not_supported(f"{path}.diskURI", address, (form,), is_plain=True)


def _storage_os_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("volumeName"):
        yield field_error.required(f"{path}.volumeName")
    for name in ("volumeName", "volumeNamespace"):
        if value := source.get(name):
            yield from (field_error.invalid(f"{path}.{name}", value, wrong) for wrong in dns_label(value))
    yield from _secret_name_errors(source, path)


VENDOR_VOLUMES: Final[Mapping[str, Judge]] = {
    "gitRepo": _git_repo_errors,
    "gcePersistentDisk": _gce_disk_errors,
    "awsElasticBlockStore": _aws_disk_errors,
    "glusterfs": _required("endpoints", "path"),
    "flocker": _flocker_errors,
    "rbd": _required("monitors", "image"),
    "cinder": _cinder_errors,
    "cephfs": _required("monitors"),
    "quobyte": _quobyte_errors,
    "fc": _fibre_channel_errors,
    "flexVolume": _flex_errors,
    "azureFile": _required("secretName", "shareName"),
    "vsphereVolume": _required("volumePath"),
    "photonPersistentDisk": _required("pdID"),
    "portworxVolume": _required("volumeID"),
    "azureDisk": _azure_disk_errors,
    "storageos": _storage_os_errors,
    "scaleIO": _required("gateway", "system", "volumeName"),
}
