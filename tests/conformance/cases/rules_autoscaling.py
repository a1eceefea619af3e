"""What a HorizontalPodAutoscaler may not be, in v1 and in v2."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import of_kind

case = Cases("autoscaler rules")
V1 = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
V2 = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}


def _autoscaler(version: str = "v2", **spec: Any) -> dict[str, Any]:
    given = {"scaleTargetRef": TARGET, "maxReplicas": 3, **spec}
    return of_kind(f"autoscaling/{version}", "HorizontalPodAutoscaler", spec=given)


@case("bounds")
def _(s: Script) -> None:
    for path, version in ((V1, "v1"), (V2, "v2")):
        for bounds in (
            {"maxReplicas": 0},
            {"maxReplicas": -1},
            {"minReplicas": 0},
            {"minReplicas": -1},
            {"minReplicas": 4},
        ):
            s.post(path, _autoscaler(version, **bounds))
    s.post(V1, _autoscaler("v1", targetCPUUtilizationPercentage=0))


@case("a target")
def _(s: Script) -> None:
    for part in (
        {"kind": ""},
        {"name": ""},
        {"kind": "a/b"},
        {"name": "a%b"},
        {"apiVersion": "v1"},
        {"apiVersion": ""},
        {"apiVersion": "a/b/c"},
        {"apiVersion": "", "kind": "ReplicationController", "name": ".."},
    ):
        s.post(V2, _autoscaler(scaleTargetRef={**TARGET, **part}))
    s.post(V1, _autoscaler("v1", scaleTargetRef={}))


@case("metrics")
def _(s: Script) -> None:
    cpu = {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 50}}
    for metric in (
        {},
        {"type": "Other"},
        {"type": "Resource"},
        {"type": "Pods", "resource": cpu},
        {"type": "Resource", "resource": cpu, "pods": {"metric": {"name": "a"}, "target": {"type": "Value"}}},
        {"type": "Resource", "resource": {**cpu, "name": ""}},
        {"type": "ContainerResource", "containerResource": cpu},
        {"type": "ContainerResource", "containerResource": {**cpu, "container": "A"}},
        {"type": "ContainerResource", "containerResource": {**cpu, "container": "a", "name": "x"}},
    ):
        s.post(V2, _autoscaler(metrics=[metric]))


@case("targets of metrics")
def _(s: Script) -> None:
    for target in (
        {},
        {"type": "Other", "averageValue": "1"},
        {"type": "Value"},
        {"type": "Value", "value": "0"},
        {"type": "AverageValue", "averageValue": "-1"},
        {"type": "Utilization", "averageUtilization": 0},
        {"type": "Utilization", "averageUtilization": 1, "averageValue": "1"},
        {"type": "Value", "value": "1", "averageValue": "1500m"},
    ):
        named = {"metric": {"name": "a"}, "target": target}
        described = {**named, "describedObject": {"kind": "K", "name": "n", "apiVersion": "v1"}}
        s.post(V2, _autoscaler(metrics=[{"type": "Resource", "resource": {"name": "cpu", "target": target}}]))
        s.post(V2, _autoscaler(metrics=[{"type": "Pods", "pods": named}]))
        s.post(V2, _autoscaler(metrics=[{"type": "External", "external": named}]))
        s.post(V2, _autoscaler(metrics=[{"type": "Object", "object": described}]))
        s.delete(f"{V2}/a")


@case("names of metrics")
def _(s: Script) -> None:
    target = {"type": "Value", "value": "1"}
    for name in ("", "a/b"):
        s.post(
            V2, _autoscaler(metrics=[{"type": "External", "external": {"metric": {"name": name}, "target": target}}])
        )
    for part in ({"kind": ""}, {"name": "a/b"}, {"apiVersion": "a/b/c"}):
        described = {"kind": "K", "name": "n", "apiVersion": "v1", **part}
        metric = {"describedObject": described, "metric": {"name": "a"}, "target": target}
        s.post(V2, _autoscaler(metrics=[{"type": "Object", "object": metric}]))


@case("a behavior")
def _(s: Script) -> None:
    policy = {"type": "Pods", "value": 1, "periodSeconds": 1}
    for rules in (
        {"stabilizationWindowSeconds": -1},
        {"stabilizationWindowSeconds": 3601},
        {"selectPolicy": "Some"},
        {"tolerance": "-1"},
        {"policies": [{**policy, "type": "Other"}]},
        {"policies": [{**policy, "value": 0}]},
        {"policies": [{**policy, "periodSeconds": 0}]},
        {"policies": [{**policy, "periodSeconds": 1801}]},
    ):
        s.post(V2, _autoscaler(behavior={"scaleUp": rules}))
        s.post(V2, _autoscaler(behavior={"scaleDown": rules}))


@case("a change")
def _(s: Script) -> None:
    s.post(V2, _autoscaler())
    s.patch(f"{V2}/a", {"spec": {"maxReplicas": 0}})
    s.patch(f"{V2}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{V1}/a", {"spec": {"minReplicas": 9}})
    s.patch(f"{V2}/a", {"spec": {"scaleTargetRef": {"apiVersion": "v1"}}})
    s.patch(f"{V2}/a", {"spec": {"scaleTargetRef": {"name": ""}}})
    s.patch(f"{V2}/a/status", {"status": {"currentReplicas": -1, "desiredReplicas": 1}})
    s.patch(f"{V1}/a/status", {"status": {"currentReplicas": 1, "desiredReplicas": -1}})
