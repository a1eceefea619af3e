"""Defaults of the workloads: how many, how they are replaced, how much of their past is kept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from konverge.cluster.apiserver.builtin.defaults.default import Default
from konverge.cluster.apiserver.strategy import JsonObject

TEMPLATE_COUNT: Final = "deprecated.daemonset.template.generation"  # a field of a daemon set once; now an annotation
_ROLLING: Final = "RollingUpdate"


def _deployment(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    spec.setdefault("replicas", 1)
    strategy = spec.setdefault("strategy", {})
    if not strategy.get("type"):
        strategy["type"] = _ROLLING
    if strategy["type"] == _ROLLING:
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
    elif "rollingUpdate" in strategy:
        strategy["rollingUpdate"] = {"maxUnavailable": 0, "maxSurge": 0, **strategy["rollingUpdate"]}
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)


def _daemon_set(value: JsonObject) -> None:
    metadata = value["metadata"]
    metadata["annotations"] = {TEMPLATE_COUNT: "0", **metadata.get("annotations", {})}
    spec = value.setdefault("spec", {})
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = _ROLLING
    if strategy["type"] == _ROLLING:
        rolling = strategy.setdefault("rollingUpdate", {})
        rolling.setdefault("maxUnavailable", 1)
        rolling.setdefault("maxSurge", 0)
    elif "rollingUpdate" in strategy:
        strategy["rollingUpdate"] = {"maxUnavailable": 0, "maxSurge": 0, **strategy["rollingUpdate"]}
    spec.setdefault("revisionHistoryLimit", 10)


def _stateful_set(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    if not spec.get("podManagementPolicy"):
        spec["podManagementPolicy"] = "OrderedReady"
    _stateful_update(spec.setdefault("updateStrategy", {}))
    retention = spec.setdefault("persistentVolumeClaimRetentionPolicy", {})
    for moment in ("whenDeleted", "whenScaled"):
        if not retention.get(moment):
            retention[moment] = "Retain"
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    for claim in spec.get("volumeClaimTemplates", ()):
        claim["apiVersion"], claim["kind"] = "v1", "PersistentVolumeClaim"


def _stateful_update(strategy: JsonObject) -> None:
    if not strategy.get("type"):
        strategy["type"] = _ROLLING
        strategy.setdefault("rollingUpdate", {})
    if "rollingUpdate" in strategy:
        strategy["rollingUpdate"].setdefault("partition", 0)


def _replica_set(value: JsonObject) -> None:
    value.setdefault("spec", {}).setdefault("replicas", 1)


DEFAULTS: Final[Mapping[str, Default]] = {
    "DaemonSet": _daemon_set,
    "Deployment": _deployment,
    "ReplicaSet": _replica_set,
    "StatefulSet": _stateful_set,
}
