"""Defaults of horizontal pod autoscalers in both versions."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.builtin.defaults.default import Default
from konverge.cluster.apiserver.strategy import JsonObject

_PERIOD: Final = 15  # seconds
_METRICS: Final[list[Any]] = [
    {
        "type": "Resource",
        "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 80}},
    }
]
_UP: Final = {
    "stabilizationWindowSeconds": 0,
    "selectPolicy": "Max",
    "policies": [
        {"type": "Pods", "value": 4, "periodSeconds": _PERIOD},
        {"type": "Percent", "value": 100, "periodSeconds": _PERIOD},
    ],
}
_DOWN: Final = {
    "selectPolicy": "Max",
    "policies": [{"type": "Percent", "value": 100, "periodSeconds": _PERIOD}],
}


def _version_1(value: JsonObject) -> None:
    value.setdefault("spec", {}).setdefault("minReplicas", 1)


def _version_2(value: JsonObject) -> None:
    spec = value.setdefault("spec", {})
    spec.setdefault("minReplicas", 1)
    if not spec.get("metrics"):
        spec["metrics"] = json_copy(_METRICS)
    behavior = spec.get("behavior")
    if behavior is not None:
        for way, rules in (("scaleUp", _UP), ("scaleDown", _DOWN)):
            behavior[way] = {**json_copy(rules), **behavior.get(way, {})}


DEFAULTS_V1: Final[Mapping[str, Default]] = {"HorizontalPodAutoscaler": _version_1}
DEFAULTS_V2: Final[Mapping[str, Default]] = {"HorizontalPodAutoscaler": _version_2}
