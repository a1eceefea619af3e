"""Horizontal pod autoscalers: v2 is stored; v1 knows one metric, the CPU, and keeps the others in annotations."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from konverge.cluster.apiserver.builtin.conversion import behavior
from konverge.cluster.apiserver.builtin.conversion.metric import spec_v1, spec_v2, status_v1, status_v2
from konverge.cluster.apiserver.strategy import JsonObject

_PREFIX: Final = "autoscaling.alpha.kubernetes.io/"
_METRICS: Final = f"{_PREFIX}metrics"
_CURRENT: Final = f"{_PREFIX}current-metrics"
_CONDITIONS: Final = f"{_PREFIX}conditions"
_BEHAVIOR: Final = f"{_PREFIX}behavior"
# A conversion's own: dropped when the object is read from the other form, whoever wrote them.
_OURS: Final = (
    *(_METRICS, _CURRENT, _CONDITIONS, _BEHAVIOR),
    *(f"{_PREFIX}scale-down-tolerance", f"{_PREFIX}scale-up-tolerance"),
)
_DEFAULT_UTILIZATION: Final = 80  # percent, where no metric is given
_CONDITION: Final = ("type", "status", "lastTransitionTime", "reason", "message")
_HTML: Final = str.maketrans({"<": "\\u003c", ">": "\\u003e", "&": "\\u0026"})
_SHARED: Final = ("scaleTargetRef", "minReplicas", "maxReplicas")
_COUNTS: Final = ("observedGeneration", "lastScaleTime")


def to_v1(value: JsonObject) -> JsonObject:
    """Return a stored autoscaler as v1 shows it."""
    spec, status = value.get("spec") or {}, value.get("status") or {}
    shown: JsonObject = {name: spec[name] for name in _SHARED if name in spec}
    metrics = spec.get("metrics") or []
    cpu = next(filter(_is_cpu, metrics), None)
    if cpu is not None:
        shown["targetCPUUtilizationPercentage"] = cpu["resource"]["target"]["averageUtilization"]
    return {
        **value,
        "apiVersion": "autoscaling/v1",
        "metadata": _annotated(value.get("metadata") or {}, _kept(spec, status)),
        "spec": shown,
        "status": _status_v1(status),
    }


def _kept(spec: JsonObject, status: JsonObject) -> dict[str, str]:
    """Return the annotations for what v1 has no fields for."""
    found: dict[str, str] = {}
    others = [spec_v1(metric) for metric in spec.get("metrics") or () if not _is_cpu(metric)]
    current = [status_v1(metric) for metric in status.get("currentMetrics") or ()]
    conditions = [_condition(condition) for condition in status.get("conditions") or ()]
    for name, values in ((_METRICS, others), (_CURRENT, current), (_CONDITIONS, conditions)):
        if values:
            found[name] = _encoded(values)
    if spec.get("behavior") is not None:
        found[_BEHAVIOR] = _encoded(behavior.to_internal(spec["behavior"]))
    return found


def _is_cpu(metric: JsonObject) -> bool:
    """Whether a metric is the one that v1 has a field for."""
    resource = metric.get("resource") or {}
    wanted = (resource.get("target") or {}).get("averageUtilization")
    return metric.get("type") == "Resource" and resource.get("name") == "cpu" and wanted is not None


def _condition(condition: JsonObject) -> JsonObject:
    found = {"lastTransitionTime": None, **condition}
    return {name: found[name] for name in _CONDITION if name in found}


def _status_v1(status: JsonObject) -> JsonObject:
    shown: JsonObject = {name: status[name] for name in _COUNTS if name in status}
    shown |= {name: status.get(name, 0) for name in ("currentReplicas", "desiredReplicas")}
    for metric in status.get("currentMetrics") or ():
        resource = metric.get("resource") or {}
        used = (resource.get("current") or {}).get("averageUtilization")
        if metric.get("type") == "Resource" and resource.get("name") == "cpu" and used is not None:
            shown["currentCPUUtilizationPercentage"] = used
    return shown


def to_v2(value: JsonObject) -> JsonObject:
    """Return an autoscaler of v1 as it is stored."""
    metadata = value.get("metadata") or {}
    annotations = metadata.get("annotations") or {}
    return {
        **value,
        "apiVersion": "autoscaling/v2",
        "metadata": _annotated(metadata, {}),
        "spec": _spec_v2(value.get("spec") or {}, annotations),
        "status": _status_v2(value.get("status") or {}, annotations),
    }


def _spec_v2(spec: JsonObject, annotations: dict[str, str]) -> JsonObject:
    shown: JsonObject = {name: spec[name] for name in _SHARED if name in spec}
    metrics = [spec_v2(metric) for metric in _decoded(annotations, _METRICS, list)]
    utilization = spec.get("targetCPUUtilizationPercentage")
    if utilization is not None or not metrics:
        metrics.append(_cpu(_DEFAULT_UTILIZATION if utilization is None else utilization))
    shown["metrics"] = metrics
    wanted = behavior.from_internal(_decoded(annotations, _BEHAVIOR, dict))
    return {**shown, "behavior": wanted} if wanted else shown


def _cpu(utilization: int) -> JsonObject:
    target = {"type": "Utilization", "averageUtilization": utilization}
    return {"type": "Resource", "resource": {"name": "cpu", "target": target}}


def _status_v2(status: JsonObject, annotations: dict[str, str]) -> JsonObject:
    shown: JsonObject = {name: status[name] for name in _COUNTS if name in status}
    if status.get("currentReplicas"):
        shown["currentReplicas"] = status["currentReplicas"]
    shown["desiredReplicas"] = status.get("desiredReplicas", 0)
    current = [status_v2(metric) for metric in _decoded(annotations, _CURRENT, list)]
    used = status.get("currentCPUUtilizationPercentage")
    if not current and used is not None:
        current = [{"type": "Resource", "resource": {"name": "cpu", "current": {"averageUtilization": used}}}]
    shown["currentMetrics"] = current or None
    conditions = _decoded(annotations, _CONDITIONS, list)
    return {**shown, "conditions": conditions} if conditions else shown


def _annotated(metadata: JsonObject, added: dict[str, str]) -> JsonObject:
    annotations = {name: text for name, text in (metadata.get("annotations") or {}).items() if name not in _OURS}
    found = {name: value for name, value in metadata.items() if name != "annotations"}
    return {**found, "annotations": annotations | added} if annotations or added else found


def _encoded(value: Any) -> str:
    return msgspec.json.encode(value).decode().translate(_HTML)


def _decoded(annotations: dict[str, str], name: str, kind: type) -> Any:
    """Return what an annotation holds; one that somebody has spoilt holds nothing."""
    try:
        found = msgspec.json.decode(annotations.get(name, "null"))
    except msgspec.DecodeError:
        return kind()
    return found if isinstance(found, kind) else kind()
