"""The volumes of a pod: each has a name of its own and exactly one source.

The sources that people write are judged by their own rules, the others by what their types ask for.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from typing import Any, Final

from konverge.api.quantity import Quantity
from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.builtin.go_type import Struct, type_of
from konverge.cluster.apiserver.builtin.rules.container_env import (
    VOLUME_FIELDS,
    field_ref_errors,
    resource_ref_errors,
)
from konverge.cluster.apiserver.builtin.rules.container_mounts import backstep_errors, descending_path_errors
from konverge.cluster.apiserver.builtin.rules.driver_name import driver_name_errors
from konverge.cluster.apiserver.builtin.rules.iscsi_volume import iscsi_errors
from konverge.cluster.apiserver.builtin.rules.volume_claim import claim_errors
from konverge.cluster.apiserver.builtin.schema_errors import schema_errors
from konverge.cluster.apiserver.field_error import FieldError
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
_MODE_TEXT: Final = "must be a number between 0 and 0777 (octal), both inclusive"
_LARGEST_MODE: Final = 0o777
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
_SHORTEST_TOKEN: Final = 600  # seconds
_LONGEST_TOKEN: Final = 2**32
_TWO_PLACES: Final = "conflicting duplicate paths"


def volume_errors(volumes: list[JsonObject], path: str, *, known: dict[str, JsonObject]) -> Iterator[FieldError]:
    """Judge the volumes of a pod, and put the good ones by name into `known`."""
    for index, volume in enumerate(volumes):
        where, name = f"{path}[{index}]", volume.get("name", "")
        errors = list(_source_errors(volume, where))
        if not name:
            errors.append(field_error.required(f"{where}.name"))
        else:
            errors += [field_error.invalid(f"{where}.name", name, wrong) for wrong in dns_label(name)]
        if name in known:
            errors.append(field_error.duplicate(f"{where}.name", name))
        if not errors:
            known[name] = volume
        yield from errors


def _source_errors(volume: JsonObject, path: str) -> Iterator[FieldError]:
    given = [name for name in _SOURCES if volume.get(name) is not None]
    if not given:
        yield field_error.required(path, "must specify a volume type")
        return
    judge = _JUDGES.get(given[0])
    where = f"{path}.{given[0]}"
    yield from _typed_errors(given[0], volume[given[0]], where) if judge is None else judge(volume[given[0]], where)
    for name in given[1:]:
        wrong = "may not specify more than 1 volume type"
        yield field_error.forbidden(f"{path}.{_MISSPELT.get(name, name)}", wrong)


@cache
def _volume_type() -> Struct:
    found = type_of("io.k8s.api.core.v1.Volume")
    if not isinstance(found, Struct):
        raise TypeError("a volume is no structure")
    return found


def _typed_errors(name: str, source: Any, path: str) -> Iterator[FieldError]:
    return schema_errors(_volume_type().fields[name].kind, source, path)


def _empty_dir_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    limit = source.get("sizeLimit")
    if limit is not None and Quantity(limit) < 0:
        yield field_error.forbidden(f"{path}.sizeLimit", "SizeLimit field must be a valid resource quantity")


def _host_path_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("path"):
        yield field_error.required(f"{path}.path")
        return
    yield from backstep_errors(source["path"], f"{path}.path")
    if source.get("type", "") not in _HOST_TYPES:
        yield field_error.not_supported(f"{path}.type", source["type"], _HOST_TYPES)


def _secret_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("secretName"):
        yield field_error.required(f"{path}.secretName")
    yield from _mode_errors(source, "defaultMode", path)
    yield from _item_errors(source, path)


def _config_map_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    if not source.get("name"):
        yield field_error.required(f"{path}.name")
    yield from _mode_errors(source, "defaultMode", path)
    yield from _item_errors(source, path)


def _item_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    for index, item in enumerate(source.get("items") or ()):
        where = f"{path}.items[{index}]"
        if not item.get("key"):
            yield field_error.required(f"{where}.key")
        if not item.get("path"):
            yield field_error.required(f"{where}.path")
        yield from _file_path_errors(item.get("path", ""), f"{where}.path")
        yield from _mode_errors(item, "mode", where)


def _mode_errors(holder: JsonObject, name: str, path: str) -> Iterator[FieldError]:
    mode = holder.get(name)
    if mode is not None and not 0 <= mode <= _LARGEST_MODE:
        yield field_error.invalid(f"{path}.{name}", mode, _MODE_TEXT)


def _file_path_errors(target: str, path: str) -> Iterator[FieldError]:
    yield from descending_path_errors(target, path)
    if target.startswith("..") and not target.startswith("../"):
        yield field_error.invalid(path, target, "must not start with '..'")


def _nfs_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
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


def _downward_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _mode_errors(source, "defaultMode", path)
    for item in source.get("items") or ():
        yield from _downward_file_errors(item, path)


def _downward_file_errors(file: JsonObject, path: str) -> Iterator[FieldError]:
    if not file.get("path"):
        yield field_error.required(f"{path}.path")
    yield from _file_path_errors(file.get("path", ""), f"{path}.path")
    field, resource = file.get("fieldRef"), file.get("resourceFieldRef")
    if field is not None:
        yield from field_ref_errors(field, f"{path}.fieldRef", allowed=VOLUME_FIELDS)
        if resource is not None:
            wrong = "fieldRef and resourceFieldRef can not be specified simultaneously"
            yield field_error.invalid(path, "resource", wrong)
    elif resource is not None:
        yield from resource_ref_errors(resource, f"{path}.resourceFieldRef", of_volume=True)
    else:
        yield field_error.required(path, "one of fieldRef and resourceFieldRef is required")
    yield from _mode_errors(file, "mode", path)


def _projected_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    yield from _mode_errors(source, "defaultMode", path)
    taken: set[str] = set()
    for index, part in enumerate(source.get("sources") or ()):
        where = f"{path}.sources[{index}]"
        for name in ("secret", "configMap"):
            if (found := part.get(name)) is not None:
                yield from _projected_items_errors(found, f"{where}.{name}", whole=path, taken=taken)
        if (found := part.get("downwardAPI")) is not None:
            yield from _projected_files_errors(found, f"{where}.downwardAPI", whole=path, taken=taken)
        if (found := part.get("serviceAccountToken")) is not None:
            yield from _token_errors(found, f"{where}.serviceAccountToken", whole=path)
        if sum(each is not None for each in part.values()) > 1:
            yield field_error.forbidden(where, "may not specify more than 1 volume type per source")


def _projected_items_errors(source: JsonObject, path: str, *, whole: str, taken: set[str]) -> Iterator[FieldError]:
    if not source.get("name"):
        yield field_error.required(f"{path}.name")
    yield from _item_errors(source, path)
    for item in source.get("items") or ():
        if item.get("path") in taken:
            yield field_error.invalid(whole, source.get("name", ""), _TWO_PLACES)
        taken.add(item.get("path") or "")
    taken.discard("")


def _projected_files_errors(source: JsonObject, path: str, *, whole: str, taken: set[str]) -> Iterator[FieldError]:
    for file in source.get("items") or ():
        yield from _downward_file_errors(file, path)
        if file.get("path") in taken:
            yield field_error.invalid(whole, file["path"], _TWO_PLACES)
        taken.add(file.get("path") or "")
    taken.discard("")


def _token_errors(token: JsonObject, path: str, *, whole: str) -> Iterator[FieldError]:
    seconds = token.get("expirationSeconds", 0)
    if seconds < _SHORTEST_TOKEN:
        wrong = "may not specify a duration less than 10 minutes"
        yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)
    if seconds > _LONGEST_TOKEN:
        wrong = "may not specify a duration larger than 2^32 seconds"
        yield field_error.invalid(f"{path}.expirationSeconds", seconds, wrong)
    if not token.get("path"):
        yield field_error.required(f"{whole}.path")
    else:
        yield from _file_path_errors(token["path"], f"{whole}.path")


def _ephemeral_errors(source: JsonObject, path: str) -> Iterator[FieldError]:
    template = source.get("volumeClaimTemplate")
    if template is None:
        yield field_error.required(f"{path}.volumeClaimTemplate")
        return
    for error in claim_errors(template.get("spec") or {}):
        yield replace(error, field=f"{path}.volumeClaimTemplate.{error.field}")


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


_JUDGES: Final[dict[str, Callable[[Any, str], Iterator[FieldError]]]] = {
    "emptyDir": _empty_dir_errors,
    "hostPath": _host_path_errors,
    "secret": _secret_errors,
    "nfs": _nfs_errors,
    "iscsi": iscsi_errors,
    "csi": _csi_errors,
    "persistentVolumeClaim": _claim_errors,
    "downwardAPI": _downward_errors,
    "configMap": _config_map_errors,
    "projected": _projected_errors,
    "ephemeral": _ephemeral_errors,
}
