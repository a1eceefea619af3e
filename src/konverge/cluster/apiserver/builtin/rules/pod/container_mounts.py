"""What a container mounts: volumes that the pod has, each at a place of its own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from konverge.cluster.apiserver import field_error
from konverge.cluster.apiserver.field_error import FieldError
from konverge.cluster.apiserver.strategy import JsonObject

_PROPAGATIONS: Final = ("Bidirectional", "HostToContainer", "None")
_RECURSIVE: Final = ("Disabled", "Enabled", "IfPossible")
_PRIVILEGED_ONLY: Final = "Bidirectional mount propagation is available only to privileged containers"


def mount_errors(container: JsonObject, path: str, *, volumes: Mapping[str, JsonObject]) -> Iterator[FieldError]:
    """Judge the mounts and the devices of a container against the volumes of its pod."""
    mounts, devices = container.get("volumeMounts") or (), container.get("volumeDevices") or ()
    taken = {each.get("name", ""): each.get("devicePath", "") for each in devices}
    seen: set[str] = set()
    for index, mount in enumerate(mounts):
        where, at = f"{path}.volumeMounts[{index}]", mount.get("mountPath", "")
        yield from _place_errors(mount, where, volumes=volumes, is_taken=at in seen)
        seen.add(at)
        if mount.get("name", "") in taken:
            yield field_error.invalid(f"{where}.name", mount["name"], "must not already exist in volumeDevices")
        if at in taken.values():
            wrong = "must not already exist as a path in volumeDevices"
            yield field_error.invalid(f"{where}.mountPath", at, wrong)
        yield from _manner_errors(mount, f"{path}.volumeMounts", where=where, container=container)
    if devices:
        mounted = {each.get("name", ""): each.get("mountPath", "") for each in mounts}
        yield from _device_errors(list(devices), f"{path}.volumeDevices", volumes=volumes, mounted=mounted)


def _place_errors(
    mount: JsonObject, where: str, *, volumes: Mapping[str, JsonObject], is_taken: bool
) -> Iterator[FieldError]:
    name, at = mount.get("name", ""), mount.get("mountPath", "")
    if not name:
        yield field_error.required(f"{where}.name")
    if name not in volumes:
        yield field_error.not_found(f"{where}.name", name)
    if not at:
        yield field_error.required(f"{where}.mountPath")
    if is_taken:
        yield field_error.invalid(f"{where}.mountPath", at, "must be unique")


def _manner_errors(mount: JsonObject, path: str, *, where: str, container: JsonObject) -> Iterator[FieldError]:
    """Judge how a volume is mounted; the real server names the list here, not the mount."""
    if sub := mount.get("subPath"):
        yield from descending_path_errors(sub, f"{path}.subPath")
    if expression := mount.get("subPathExpr"):
        if sub:
            wrong = "subPathExpr and subPath are mutually exclusive"
            yield field_error.invalid(f"{where}.subPathExpr", expression, wrong)
        yield from descending_path_errors(expression, f"{path}.subPathExpr")
    propagation = mount.get("mountPropagation")
    if propagation is not None and propagation not in _PROPAGATIONS:
        yield field_error.not_supported(f"{path}.mountPropagation", propagation, _PROPAGATIONS)
    if propagation == "Bidirectional" and not (container.get("securityContext") or {}).get("privileged"):
        yield field_error.forbidden(f"{path}.mountPropagation", _PRIVILEGED_ONLY)
    yield from _read_only_errors(mount, f"{path}.recursiveReadOnly")


def _read_only_errors(mount: JsonObject, path: str) -> Iterator[FieldError]:
    recursive = mount.get("recursiveReadOnly")
    if recursive is None or recursive == "Disabled":
        return
    if recursive not in _RECURSIVE:
        yield field_error.not_supported(path, recursive, _RECURSIVE)
        return
    if not mount.get("readOnly"):
        yield field_error.forbidden(path, "may only be specified when readOnly is true")
    if mount.get("mountPropagation", "None") != "None":
        yield field_error.forbidden(path, "may only be specified when mountPropagation is None or not specified")


def descending_path_errors(target: str, path: str) -> Iterator[FieldError]:
    """Judge a path that may not leave where it begins."""
    if target.startswith("/"):
        yield field_error.invalid(path, target, "must be a relative path")
    yield from backstep_errors(target, path)


def backstep_errors(target: str, path: str) -> Iterator[FieldError]:
    """Judge a path that may not go back."""
    if ".." in target.split("/"):
        yield field_error.invalid(path, target, "must not contain '..'")


def _device_errors(
    devices: list[JsonObject], path: str, *, volumes: Mapping[str, JsonObject], mounted: Mapping[str, str]
) -> Iterator[FieldError]:
    names: set[str] = set()
    places: set[str] = set()
    for index, device in enumerate(devices):
        where, name, at = f"{path}[{index}]", device.get("name", ""), device.get("devicePath", "")
        yield from _device_name_errors(name, f"{where}.name", volumes=volumes, is_taken=name in names)
        yield from _device_path_errors(at, f"{where}.devicePath", is_taken=at in places)
        if name in mounted:
            yield field_error.invalid(f"{where}.name", name, "must not already exist in volumeMounts")
        if at in mounted.values():
            wrong = "must not already exist as a path in volumeMounts"
            yield field_error.invalid(f"{where}.devicePath", at, wrong)
        names.add(name)
        places.add(at)


def _device_name_errors(
    name: str, path: str, *, volumes: Mapping[str, JsonObject], is_taken: bool
) -> Iterator[FieldError]:
    if not name:
        yield field_error.required(path)
    elif is_taken:
        yield field_error.invalid(path, name, "must be unique")
    if name not in volumes:
        yield field_error.not_found(path, name)
    elif not any(volumes[name].get(kind) is not None for kind in ("persistentVolumeClaim", "ephemeral")):
        wrong = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode"
        yield field_error.invalid(path, name, wrong)


def _device_path_errors(at: str, path: str, *, is_taken: bool) -> Iterator[FieldError]:
    if not at:
        yield field_error.required(path)
    if is_taken:
        yield field_error.invalid(path, at, "must be unique")
    if ".." in at.split("/"):
        yield field_error.invalid(path, at, "can not contain backsteps ('..')")
