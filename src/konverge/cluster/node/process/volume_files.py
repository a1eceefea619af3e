"""The files of a volume that is made from other objects: path to content and mode; pure.

For configMap, secret, downwardAPI and projected volumes. A service account's token is asked for elsewhere and given
in; here it is a file like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from konverge.cluster.node.process.downward import Whereabouts, field_value, resource_value
from konverge.cluster.node.process.pod_sources import ConfigProblem, PodSources
from konverge.models import core_v1

_MODE: Final = 0o644
TOKEN_MODE: Final = 0o600


class File(msgspec.Struct, frozen=True):
    """What a file holds; it may be a Secret's, so it never shows."""

    content: bytes
    mode: int

    def __repr__(self) -> str:
        return f"File({len(self.content)} bytes, {self.mode:o})"


Files = dict[str, File]


class Origin(msgspec.Struct, frozen=True, kw_only=True):
    """What volumes are made from."""

    pod: core_v1.Pod
    sources: PodSources
    where: Whereabouts
    tokens: Mapping[tuple[str, str], str] = {}  # by (volume name, path)


def is_made(volume: core_v1.Volume) -> bool:
    """Whether a volume's files are made from other objects."""
    return any((volume.config_map, volume.secret, volume.downward_api, volume.projected))


def volume_files(volume: core_v1.Volume, origin: Origin) -> Files:
    """Return the files of a volume; raises `ConfigProblem` where something is missing that may not be."""
    if (config_map := volume.config_map) is not None:
        values = origin.sources.config_map(config_map.name or "", optional=bool(config_map.optional))
        return _chosen(values, config_map.items, mode=config_map.default_mode, optional=bool(config_map.optional))
    if (secret := volume.secret) is not None:
        values = origin.sources.secret(secret.secret_name or "", optional=bool(secret.optional))
        return _chosen(values, secret.items, mode=secret.default_mode, optional=bool(secret.optional))
    if (downward := volume.downward_api) is not None:
        return _downward(downward.items or (), origin, mode=downward.default_mode)
    found: Files = {}
    projected = volume.projected or core_v1.ProjectedVolumeSource()
    for source in projected.sources or ():
        found.update(_projection(volume.name, source, origin, mode=projected.default_mode))
    return found


def _projection(name: str, source: core_v1.VolumeProjection, origin: Origin, *, mode: int | None) -> Files:
    if (config_map := source.config_map) is not None:
        values = origin.sources.config_map(config_map.name or "", optional=bool(config_map.optional))
        return _chosen(values, config_map.items, mode=mode, optional=bool(config_map.optional))
    if (secret := source.secret) is not None:
        values = origin.sources.secret(secret.name or "", optional=bool(secret.optional))
        return _chosen(values, secret.items, mode=mode, optional=bool(secret.optional))
    if source.downward_api is not None:
        return _downward(source.downward_api.items or (), origin, mode=mode)
    if (token := source.service_account_token) is not None:
        return {token.path: File(origin.tokens[name, token.path].encode(), TOKEN_MODE)}
    raise ConfigProblem(f"volume {name}: this node can project configMap, secret, downwardAPI and serviceAccountToken")


def _chosen(
    values: Mapping[str, bytes] | None, items: Iterable[core_v1.KeyToPath] | None, *, mode: int | None, optional: bool
) -> Files:
    """The values that are asked for, under the names that they are to have; all of them where none is named."""
    usual, values = _MODE if mode is None else mode, values or {}
    if not items:
        return {key: File(value, usual) for key, value in values.items()}
    found: Files = {}
    for item in items:
        if item.key in values:
            found[item.path] = File(values[item.key], usual if item.mode is None else item.mode)
        elif not optional:
            raise ConfigProblem(f"references non-existent config key: {item.key}")
    return found


def _downward(items: Iterable[core_v1.DownwardAPIVolumeFile], origin: Origin, *, mode: int | None) -> Files:
    found: Files = {}
    for item in items:
        if item.field_ref is not None:
            value = field_value(origin.pod, item.field_ref.field_path, origin.where)
        elif item.resource_field_ref is not None:
            value = resource_value(origin.pod, item.resource_field_ref, "", origin.where)
        else:
            raise ConfigProblem(f"downwardAPI item {item.path} names neither a field nor a resource")
        chosen = mode if item.mode is None else item.mode
        found[item.path] = File(value.encode(), _MODE if chosen is None else chosen)
    return found
