"""Where a persistent volume comes from: exactly one source, judged as a pod's is, with what only a volume has."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver import field_error, name_rules
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.iscsi_volume import iscsi_volume_errors
from konverge.cluster.apiserver.builtin.rules.pod.container_mounts import backstep_errors
from konverge.cluster.apiserver.builtin.rules.pod.vendor_volumes import VENDOR_VOLUMES, Judge
from konverge.cluster.apiserver.builtin.rules.pod.volumes import host_path_errors, nfs_errors
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

# In the order in which they are looked at.
SOURCES: Final = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "glusterfs", "flocker", "nfs", "rbd", "quobyte"),
    *("cephfs", "iscsi", "cinder", "fc", "flexVolume", "azureFile", "vsphereVolume", "photonPersistentDisk"),
    *("portworxVolume", "azureDisk", "scaleIO", "local", "storageos", "csi"),
)
_MISSPELT: Final = {"cephfs": "cephFS"}  # as the real server names a second source
_SECRETS: Final = (
    *("controllerPublishSecretRef", "controllerExpandSecretRef"),
    *("nodePublishSecretRef", "nodeExpandSecretRef"),
)


def volume_source_errors(spec: JsonObject, path: str, *, volume: str) -> Iterator[FieldError]:
    """Judge the source of a volume with this name."""
    given = [name for name in SOURCES if spec.get(name) is not None]
    if not given:
        yield field_error.required(path, "must specify a volume type")
    for index, name in enumerate(given):
        if index and name != "flexVolume":  # which the real server never counts as one too many
            where = f"{path}.{_MISSPELT.get(name, name)}"
            yield field_error.forbidden(where, "may not specify more than 1 volume type")
        elif name == "iscsi":
            yield from iscsi_volume_errors(spec[name], f"{path}.{name}", volume=volume)
        else:
            yield from _JUDGES[name](spec[name], f"{path}.{name}")
            if name == "local" and spec.get("nodeAffinity") is None:
                yield field_error.required(f"{path}.nodeAffinity", "Local volume requires node affinity")


def _local_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("path"):
        yield field_error.required(f"{path}.path")
    else:
        yield from backstep_errors(source["path"], f"{path}.path")


def _csi_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    yield from driver_name_errors(source.get("driver", ""), f"{path}.driver")
    if not source.get("volumeHandle"):
        yield field_error.required(f"{path}.volumeHandle")
    for name in _SECRETS:
        if source.get(name) is not None:
            yield from _secret_errors(source[name], f"{path}.{name}")


def _secret_errors(secret: JsonObject, path: str) -> Iterator[FieldError]:
    for name, rule in (("name", name_rules.dns_subdomain), ("namespace", name_rules.dns_label)):
        text = secret.get(name, "")
        if not text:
            yield field_error.required(f"{path}.{name}")
        else:
            yield from (field_error.invalid(f"{path}.{name}", text, wrong) for wrong in rule(text))


def _gluster_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    yield from VENDOR_VOLUMES["glusterfs"](source, path)
    where, namespace = f"{path}.endpointsNamespace", source.get("endpointsNamespace")
    if namespace == "":
        wrong = "if the endpointnamespace is set, it must be a valid namespace name"
        yield field_error.invalid(where, namespace, wrong)
    elif namespace is not None:
        yield from (field_error.invalid(where, namespace, wrong) for wrong in name_rules.dns_label(namespace))


def _azure_file_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    yield from VENDOR_VOLUMES["azureFile"](source, path)
    if source.get("secretNamespace") == "":
        yield field_error.required(f"{path}.secretNamespace")


def _with_namespace(kind: str) -> Judge:
    """Return the rule of a source whose secret is in a namespace that it names."""

    def judge(source: JsonObject, path: str) -> Iterator[FieldError]:
        yield from VENDOR_VOLUMES[kind](source, path)
        if source.get("secretRef") is not None and not source["secretRef"].get("namespace"):
            yield field_error.required(f"{path}.secretRef.namespace")

    return judge


_JUDGES: Final[Mapping[str, Judge]] = {
    **VENDOR_VOLUMES,
    "hostPath": host_path_errors,
    "nfs": nfs_errors,
    "local": _local_errors,
    "csi": _csi_errors,
    "glusterfs": _gluster_errors,
    "azureFile": _azure_file_errors,
    "cinder": _with_namespace("cinder"),
    "storageos": _with_namespace("storageos"),
}
