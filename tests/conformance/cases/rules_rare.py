"""Rules that few people meet: found by objects that were made from the schemas, and kept here as they are."""

from __future__ import annotations

from typing import Any

from harness.script import CRDS, Cases, Script

from cases.builtin_objects import of_kind

case = Cases("rare rules")
_NAMESPACES = "/api/v1/namespaces"
_EVENTS = "/api/v1/namespaces/{ns}/events"
_NEW_EVENTS = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
_CLAIMS = "/api/v1/namespaces/{ns}/persistentvolumeclaims"
_AUTOSCALERS = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
_INGRESSES = "/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses"
_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"
_DRIVERS = "/apis/storage.k8s.io/v1/csidrivers"
_CAPACITIES = "/apis/storage.k8s.io/v1/namespaces/{ns}/csistoragecapacities"
_BUDGETS = "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets"
_CLASSES = "/apis/node.k8s.io/v1/runtimeclasses"
_DRY = {"dryRun": "All"}
_ABOUT = {"kind": "Pod", "namespace": "{ns}", "name": "a"}


@case("a namespace with finalizers")
def _(s: Script) -> None:
    for names in (["a"], ["a", "b/c"], [""], ["orphan"], ["a b/c"]):
        s.post(_NAMESPACES, of_kind("v1", "Namespace", name="{ns}-new", spec={"finalizers": names}), **_DRY)


@case("an event with bad metadata")
def _(s: Script) -> None:
    event = of_kind("v1", "Event", name="a", metadata={"labels": {"a": "-"}})
    s.post(_EVENTS, {**event, "involvedObject": _ABOUT})
    s.post(_EVENTS, {**event, "involvedObject": {"kind": "Pod", "name": "a"}})


@case("a changed event")
def _(s: Script) -> None:
    event = {
        **of_kind("events.k8s.io/v1", "Event", name="a"),
        "eventTime": "2020-01-01T00:00:00.000000Z",
        "reportingController": "a",
        "reportingInstance": "a",
        "action": "a",
        "reason": "a",
        "type": "Normal",
        "note": "a",
        "regarding": _ABOUT,
    }
    made = s.post(_NEW_EVENTS, event)
    version = {"metadata": {"name": "a", "resourceVersion": made["metadata"]["resourceVersion"]}}
    s.put(f"{_NEW_EVENTS}/a", {**event, **version, "action": "", "note": None, "related": {"name": "b"}})
    s.put(f"{_NEW_EVENTS}/a", {**event, **version, "regarding": {**_ABOUT, "uid": "1"}, "type": "Warning"})


@case("a claim with a source elsewhere")
def _(s: Script) -> None:
    asked: dict[str, Any] = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    source = {"kind": "PersistentVolumeClaim", "name": "b"}
    for more in ({}, {"dataSource": source}):
        spec = {**asked, **more, "dataSourceRef": {**source, "namespace": "other"}}
        s.post(_CLAIMS, of_kind("v1", "PersistentVolumeClaim", name="a", spec=spec), **_DRY)


@case("an autoscaler without policies")
def _(s: Script) -> None:
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "a"}
    several: list[dict[str, Any]] = [{"policies": []}, {"policies": None}, {}]
    for rules in several:
        spec = {"maxReplicas": 1, "scaleTargetRef": target, "behavior": {"scaleUp": rules}}
        s.post(_AUTOSCALERS, of_kind("autoscaling/v2", "HorizontalPodAutoscaler", name="a", spec=spec), **_DRY)


@case("types inside embedded ones, and after one another")
def _(s: Script) -> None:
    specs: list[dict[str, Any]] = [
        {"rules": [{"http": {"paths": {}}}]},
        {"rules": [{"http": 5}]},
        {"ingressClassName": 5, "defaultBackend": {"service": {"port": {"number": "a"}}}},
    ]
    for spec in specs:
        s.post(_INGRESSES, of_kind("networking.k8s.io/v1", "Ingress", name="a", spec=spec))
    for amount in ("x", 5.5, True):
        spec = {"accessModes": 5, "resources": {"requests": {"storage": amount}}}
        s.post(_CLAIMS, of_kind("v1", "PersistentVolumeClaim", name="a", spec=spec))
    stamped = of_kind("v1", "PersistentVolumeClaim", name="a", metadata={"creationTimestamp": 'é"'})
    s.post(_CLAIMS, stamped)


@case("an API service of the server itself")
def _(s: Script) -> None:
    spec = {"group": "{ns}.example.com", "version": "v1", "groupPriorityMinimum": 1, "versionPriority": 1}
    service = of_kind("apiregistration.k8s.io/v1", "APIService", name="v1.{ns}.example.com", spec=spec)
    s.post(_SERVICES, service, **_DRY)


@case("a driver whose tokens stay")
def _(s: Script) -> None:
    spec = {"tokenRequests": [{"audience": "a"}]}
    s.post(_DRIVERS, of_kind("storage.k8s.io/v1", "CSIDriver", name="{ns}", spec=spec))
    for change in ({"podInfoOnMount": True}, {"tokenRequests": [{"audience": "b"}]}):
        s.patch(f"{_DRIVERS}/{{ns}}", {"spec": change})
    s.delete(f"{_DRIVERS}/{{ns}}")


@case("a capacity that changes")
def _(s: Script) -> None:
    capacity = {**of_kind("storage.k8s.io/v1", "CSIStorageCapacity", name="a"), "storageClassName": "a"}
    s.post(_CAPACITIES, capacity)
    s.patch(f"{_CAPACITIES}/a", {"storageClassName": "-1"})
    s.patch(f"{_CAPACITIES}/a", {"nodeTopology": {"matchLabels": {"a": "-"}}, "capacity": "-1"})


@case("values in the internal form")
def _(s: Script) -> None:
    selector = {"matchExpressions": [{"key": "a", "operator": "Exists"}], "matchLabels": {"b": "c", "a": "b"}}
    spec = {"minAvailable": 1, "maxUnavailable": "10%", "selector": selector}
    s.post(_BUDGETS, of_kind("policy/v1", "PodDisruptionBudget", name="a", spec=spec))
    runtime = {**of_kind("node.k8s.io/v1", "RuntimeClass", name="{ns}"), "handler": "a"}
    s.post(_CLASSES, {**runtime, "scheduling": {"tolerations": [{"effect": "NoExecute"}] * 2}})


@case("a definition with odd versions")
def _(s: Script) -> None:
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {"type": "object"}}}
    spec = {"group": "{ns}.example.com", "names": {"plural": "things", "kind": "Thing"}, "scope": "Namespaced"}
    crd = of_kind("apiextensions.k8s.io/v1", "CustomResourceDefinition", name="things.{ns}.example.com")
    s.post(CRDS, {**crd, "spec": {**spec, "versions": [version, version]}})
    for items in ([1], ["a"]):
        schema = {"type": "object", "properties": {"a": {"type": "array", "items": items}}}
        s.post(CRDS, {**crd, "spec": {**spec, "versions": [{**version, "schema": {"openAPIV3Schema": schema}}]}})
