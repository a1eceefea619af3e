"""Fields of pods that are in the schema, but whose features are off by default: dropped from what a request brings.

An object that has one already keeps it, as it was written by a server where the feature was on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from konverge.cluster.apiserver.strategy import JsonObject

_TEMPLATE: Final = ("spec", "template", "spec")
_POD_SPECS: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("", "Pod"): ("spec",),
    ("", "PodTemplate"): ("template", "spec"),
    ("", "ReplicationController"): _TEMPLATE,
    ("apps", "DaemonSet"): _TEMPLATE,
    ("apps", "Deployment"): _TEMPLATE,
    ("apps", "ReplicaSet"): _TEMPLATE,
    ("apps", "StatefulSet"): _TEMPLATE,
    ("batch", "CronJob"): ("spec", "jobTemplate", "spec", "template", "spec"),
    ("batch", "Job"): _TEMPLATE,
}
_PROJECTIONS: Final = ("clusterTrustBundle", "podCertificate")
_CONTAINERS: Final = ("containers", "initContainers", "ephemeralContainers")


def pod_spec_path(group: str, kind: str) -> tuple[str, ...]:
    """Return where a kind has the spec of a pod; nothing where it has none."""
    return _POD_SPECS.get((group, kind), ())


def drop_disabled_fields(value: JsonObject, old: JsonObject | None, path: tuple[str, ...]) -> None:
    """Drop the fields from a pod's spec that the old one does not use."""
    spec, before = _at(value, path), {} if old is None else _at(old, path)
    if "schedulingGroup" in spec and "schedulingGroup" not in before:
        del spec["schedulingGroup"]
    for name in _PROJECTIONS:
        if not any(name in source for source in _sources(before)):
            for source in _sources(spec):
                source.pop(name, None)
    if not any("stopSignal" in container.get("lifecycle", {}) for container in _containers(before)):
        for container in _containers(spec):
            _drop_stop_signal(container)


def _at(value: JsonObject, path: tuple[str, ...]) -> JsonObject:
    found: Any = value
    for step in path:
        found = found.get(step) or {}
    return found if isinstance(found, dict) else {}


def _sources(spec: JsonObject) -> Iterator[JsonObject]:
    for volume in spec.get("volumes", ()):
        yield from volume.get("projected", {}).get("sources") or ()


def _containers(spec: JsonObject) -> Iterator[JsonObject]:
    for name in _CONTAINERS:
        yield from spec.get(name) or ()


def _drop_stop_signal(container: JsonObject) -> None:
    lifecycle = container.get("lifecycle", {})
    if lifecycle.pop("stopSignal", None) is not None and not lifecycle:
        del container["lifecycle"]
