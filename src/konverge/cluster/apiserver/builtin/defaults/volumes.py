"""Defaults of a pod's volumes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default, constants
from konverge.cluster.apiserver.builtin.defaults.image import pull_policy
from konverge.cluster.apiserver.strategy import JsonObject

_READABLE_BY_ALL: Final = 0o644


def _volume(value: JsonObject) -> None:
    if not any(name != "name" for name in value):
        value["emptyDir"] = {}
    image = value.get("image")
    if image is not None and not image.get("pullPolicy"):
        image["pullPolicy"] = pull_policy(image.get("reference", ""))


DEFAULTS: Final[Mapping[str, Default]] = {
    "ConfigMapVolumeSource": constants(defaultMode=_READABLE_BY_ALL),
    "DownwardAPIVolumeSource": constants(defaultMode=_READABLE_BY_ALL),
    "HostPathVolumeSource": constants(type=""),
    "ProjectedVolumeSource": constants(defaultMode=_READABLE_BY_ALL),
    "SecretVolumeSource": constants(defaultMode=_READABLE_BY_ALL),
    "ServiceAccountTokenProjection": constants(expirationSeconds=60 * 60),
    "Volume": _volume,
}
