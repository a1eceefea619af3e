"""Volumes: makes the folders that a pod's containers are to see, and keeps those made from other objects up to date."""

from __future__ import annotations

import os
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path, PurePosixPath
from typing import Final

import msgspec

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
    elif (claim := volume.persistent_volume_claim) is not None:
        _make_claim(disk, claim.claim_name, origin)
    else:
        raise ConfigProblem(
            "a node of processes has configMap, secret, downwardAPI, projected, emptyDir, hostPath and "
            "persistentVolumeClaim volumes only"
        )


def _make_claim(disk: Disk, name: str, origin: Origin) -> None:
    place = origin.sources.claims.get(name)
    if place is None:
        raise ConfigProblem(f'persistentvolumeclaim "{name}" not found')
    if not place.exists():
        disk.make_folder(place, 0o777)


def _check_host_path(disk: Disk, wanted: core_v1.HostPathVolumeSource) -> None:
    path, kind = Path(wanted.path), wanted.type or ""
    if kind in _CREATED and not path.exists():
        if kind == "DirectoryOrCreate":
            disk.make_folder(path)
        else:
            disk.write(path, b"")
    elif kind in _NOT_ABSENT and not _NOT_ABSENT[kind](path):
        raise ConfigProblem(f"hostPath type check failed: {wanted.path} is not a {kind.lower()}")


class Mounts(msgspec.Struct, frozen=True, kw_only=True):
    """What one container mounts, and where that is."""

    pod: core_v1.Pod
    container: core_v1.Container
    folder: PodFolder
    claims: Mapping[str, Path]
    variables: Mapping[str, str]  # for subPathExpr

    def mapping(self) -> PathMapping:
        """Return where the paths that the container knows are; raises `ConfigProblem` for a path outside its volume."""
        message = self.container.termination_message_path or TERMINATION_PATH
        places = {message: str(self.folder.termination_message(self.container.name))}
        places.update({mount.mount_path: str(self._place(volume, mount)) for volume, mount in self._pairs()})
        return PathMapping(places)

    def make_folders(self, disk: Disk) -> None:
        """Make the subPaths that are not there yet; blocks. Raises `OSError`."""
        for volume, mount in self._pairs():
            is_writable = volume.empty_dir is not None or volume.persistent_volume_claim is not None
            if is_writable and (mount.sub_path or mount.sub_path_expr):
                place = self._place(volume, mount)
                if not os.path.lexists(place):
                    disk.make_folder(place)

    def _pairs(self) -> list[tuple[core_v1.Volume, core_v1.VolumeMount]]:
        volumes = {each.name: each for each in self.pod.spec.volumes or ()}
        mounts = self.container.volume_mounts or ()
        return [(volumes[each.name], each) for each in mounts if each.name in volumes]

    def _place(self, volume: core_v1.Volume, mount: core_v1.VolumeMount) -> Path:
        root = self._root(volume)
        below = expand(mount.sub_path_expr, self.variables) if mount.sub_path_expr else (mount.sub_path or "")
        if PurePosixPath(below).is_absolute() or ".." in PurePosixPath(below).parts:
            raise ConfigProblem(f"volume mount {mount.name}: subPath {below} must stay inside the volume")
        return root / below if below else root

    def _root(self, volume: core_v1.Volume) -> Path:
        if volume.host_path is not None:
            return Path(volume.host_path.path)
        if volume.persistent_volume_claim is not None:
            return self.claims[volume.persistent_volume_claim.claim_name]
        return self.folder.volume(volume.name)
