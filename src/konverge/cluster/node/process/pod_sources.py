"""PodSources: the ConfigMaps, Secrets and Services that a pod's environment and volumes are made from, as values.

What a pod names is read first, so that everything that is made of it afterwards is pure.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from konverge.models import core_v1

CONFIG_MAP: Final = "configmap"
SECRET: Final = "secret"  # noqa: S105 - a kind of object


class ConfigProblem(Exception):
    """Why a container or a volume cannot be made as the pod asks; never says what is in a Secret."""


class PodSources(msgspec.Struct, frozen=True, kw_only=True):
    """What was there when it was looked."""

    config_maps: dict[str, core_v1.ConfigMap] = {}
    secrets: dict[str, core_v1.Secret] = {}
    services: tuple[core_v1.Service, ...] = ()
    claims: dict[str, Path] = {}  # where the data of each is

    def config_map(self, name: str, *, optional: bool) -> dict[str, bytes] | None:
        """Return the values of a ConfigMap; None if it may be and is missing."""
        found = self.config_maps.get(name)
        if found is None:
            _check_optional(CONFIG_MAP, name, optional=optional)
            return None
        text = {key: value.encode() for key, value in (found.data or {}).items()}
        return {**text, **(found.binary_data or {})}

    def secret(self, name: str, *, optional: bool) -> dict[str, bytes] | None:
        """Return the values of a Secret; None if it may be and is missing."""
        found = self.secrets.get(name)
        if found is None:
            _check_optional(SECRET, name, optional=optional)
            return None
        return dict(found.data or {})


def _check_optional(kind: str, name: str, *, optional: bool) -> None:
    if not optional:
        raise ConfigProblem(f'{kind} "{name}" not found')


def references(pod: core_v1.Pod) -> frozenset[tuple[str, str]]:
    """Return the ConfigMaps and Secrets that a pod is made from, as (CONFIG_MAP or SECRET, name)."""
    found = {*_of_containers(pod), *_of_volumes(pod)}
    return frozenset((kind, name) for kind, name in found if name)


def _of_containers(pod: core_v1.Pod) -> Iterator[tuple[str, str | None]]:
    for container in (*(pod.spec.init_containers or ()), *pod.spec.containers):
        for source in container.env_from or ():
            yield CONFIG_MAP, source.config_map_ref.name if source.config_map_ref else None
            yield SECRET, source.secret_ref.name if source.secret_ref else None
        for variable in container.env or ():
            origin = variable.value_from or core_v1.EnvVarSource()
            yield CONFIG_MAP, origin.config_map_key_ref.name if origin.config_map_key_ref else None
            yield SECRET, origin.secret_key_ref.name if origin.secret_key_ref else None


def _of_volumes(pod: core_v1.Pod) -> Iterator[tuple[str, str | None]]:
    for volume in pod.spec.volumes or ():
        yield CONFIG_MAP, volume.config_map.name if volume.config_map else None
        yield SECRET, volume.secret.secret_name if volume.secret else None
        for each in (volume.projected.sources or ()) if volume.projected else ():
            yield CONFIG_MAP, each.config_map.name if each.config_map else None
            yield SECRET, each.secret.name if each.secret else None
