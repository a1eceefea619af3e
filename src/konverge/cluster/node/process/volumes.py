"""Volumes: makes the folders that a pod's containers are to see, and keeps those made from other objects up to date."""

from __future__ import annotations

import os
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

from konverge.cluster.node.process.disk import Disk
from konverge.cluster.node.process.expansion import expand
from konverge.cluster.node.process.path_mapping import PathMapping
from konverge.cluster.node.process.payload_folder import write_payload
from konverge.cluster.node.process.pod_folder import PodFolder
from konverge.cluster.node.process.pod_sources import ConfigProblem
from konverge.cluster.node.process.volume_files import Origin, is_made, volume_files
from konverge.models import core_v1

_NOT_ABSENT: Final = {"Directory": Path.is_dir, "File": Path.is_file, "Socket": Path.is_socket}
_CREATED: Final = ("DirectoryOrCreate", "FileOrCreate")
TERMINATION_PATH: Final = "/dev/termination-log"


def make_volumes(disk: Disk, folder: PodFolder, origin: Origin, now: datetime) -> None:
    """Make a pod's volumes, or bring them up to date; blocks. Raises `ConfigProblem` and `OSError`."""
    for volume in origin.pod.spec.volumes or ():
        try:
            _make(disk, folder, volume, origin=origin, now=now)
        except ConfigProblem as problem:
            raise ConfigProblem(f'MountVolume.SetUp failed for volume "{volume.name}" : {problem}') from problem


def _make(disk: Disk, folder: PodFolder, volume: core_v1.Volume, *, origin: Origin, now: datetime) -> None:
    if is_made(volume):
        write_payload(disk, folder.volume(volume.name), volume_files(volume, origin), now)
    elif volume.empty_dir is not None:
        disk.make_folder(folder.volume(volume.name), 0o777)
    elif volume.host_path is not None:
        _check_host_path(disk, volume.host_path)
    else:
        raise ConfigProblem(
            "a node of processes has configMap, secret, downwardAPI, projected, emptyDir and hostPath volumes only"
        )


def _check_host_path(disk: Disk, wanted: core_v1.HostPathVolumeSource) -> None:
    path, kind = Path(wanted.path), wanted.type or ""
    if kind in _CREATED and not path.exists():
        if kind == "DirectoryOrCreate":
            disk.make_folder(path)
        else:
            disk.write(path, b"")
    elif kind in _NOT_ABSENT and not _NOT_ABSENT[kind](path):
        raise ConfigProblem(f"hostPath type check failed: {wanted.path} is not a {kind.lower()}")


def mapping(
    pod: core_v1.Pod, container: core_v1.Container, folder: PodFolder, variables: dict[str, str]
) -> PathMapping:
    """Return where the paths that a container knows are; `variables` are for subPathExpr."""
    volumes = {each.name: each for each in pod.spec.volumes or ()}
    message = container.termination_message_path or TERMINATION_PATH
    places = {message: str(folder.termination_message(container.name))}
    for mount in container.volume_mounts or ():
        if (volume := volumes.get(mount.name)) is not None:
            places[mount.mount_path] = str(_place(folder, volume, mount, variables))
    return PathMapping(places)


def _place(folder: PodFolder, volume: core_v1.Volume, mount: core_v1.VolumeMount, variables: dict[str, str]) -> Path:
    root = Path(volume.host_path.path) if volume.host_path else folder.volume(volume.name)
    below = expand(mount.sub_path_expr, variables) if mount.sub_path_expr else (mount.sub_path or "")
    if PurePosixPath(below).is_absolute() or ".." in PurePosixPath(below).parts:
        raise ConfigProblem(f"volume mount {mount.name}: subPath {below} must stay inside the volume")
    return root / below if below else root


def make_mount_folders(
    disk: Disk, pod: core_v1.Pod, container: core_v1.Container, folder: PodFolder, variables: dict[str, str]
) -> None:
    """Make the subPaths of emptyDirs that are not there yet; blocks. Raises `OSError`."""
    volumes = {each.name: each for each in pod.spec.volumes or ()}
    for mount in container.volume_mounts or ():
        volume = volumes.get(mount.name)
        if volume is not None and volume.empty_dir is not None and (mount.sub_path or mount.sub_path_expr):
            place = _place(folder, volume, mount, variables)
            if not os.path.lexists(place):
                disk.make_folder(place)
