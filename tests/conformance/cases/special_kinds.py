"""Kinds with ways of their own: events, leases, autoscalers of two versions, deprecated ones, namespaces."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, LEASES, NAMESPACES, config_map

case = Cases("kind")

CORE: Final = "/api/v1/namespaces/{ns}/events"
NEW: Final = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
HPA1: Final = "/apis/autoscaling/v1/namespaces/{ns}/horizontalpodautoscalers"
HPA2: Final = "/apis/autoscaling/v2/namespaces/{ns}/horizontalpodautoscalers"
ABOUT: Final = {"kind": "Pod", "namespace": "{ns}", "name": "p", "apiVersion": "v1"}
WHEN: Final = "2020-01-02T03:04:05.678901Z"
TARGET: Final = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
HERE: Final = f"{NAMESPACES}/{{ns}}"


def _event(name: str, **more: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "involvedObject": ABOUT, "reason": "Tried", "message": "it", **more}


def _new_event(name: str, **more: Any) -> dict[str, Any]:
    own = {"eventTime": WHEN, "reportingController": "example.com/c", "reportingInstance": "i", "action": "Try"}
    return {"metadata": {"name": name}, "regarding": ABOUT, "reason": "Tried", "type": "Normal", **own, **more}


@case("an event of the core group, read in both")
def _(s: Script) -> None:
    s.post(CORE, _event("e", count=3, firstTimestamp="2020-01-01T00:00:00Z", source={"component": "c", "host": "h"}))
    s.get(f"{CORE}/e")
    s.get(f"{NEW}/e")
    s.get(NEW)


@case("an event of the newer group, read in both")
def _(s: Script) -> None:
    s.post(NEW, _new_event("e", note="a note", series={"count": 2, "lastObservedTime": WHEN}))
    s.get(f"{NEW}/e")
    s.get(f"{CORE}/e")


@case("an event changed through the other group")
def _(s: Script) -> None:
    s.post(NEW, _new_event("e"))
    s.patch(f"{CORE}/e", {"metadata": {"labels": {"a": "b"}}})
    s.patch(f"{NEW}/e", {"note": "changed"})
    s.delete(f"{CORE}/e")
    s.get(f"{NEW}/e")


@case("an event that no one can place")
def _(s: Script) -> None:
    s.post(CORE, {"metadata": {"name": "e"}, "involvedObject": {"namespace": "other"}})
    s.post(CORE, {"metadata": {"name": "e"}})
    s.post(NEW, {"metadata": {"name": "e"}, "regarding": {"namespace": "other"}})


@case("an event of the newer group that lacks something")
def _(s: Script) -> None:
    for name in ("eventTime", "reportingController", "reportingInstance", "action", "reason", "type"):
        body = _new_event("e")
        del body[name]
        s.post(NEW, body)


@case("events as tables")
def _(s: Script) -> None:
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    s.post(CORE, _event("a", type="Warning", lastTimestamp="2020-01-01T00:00:00Z", count=4, source={"component": "c"}))
    s.get(CORE, headers=accept, includeObject="None")
    s.get(NEW, headers=accept, includeObject="None")


@case("a watch of events in the newer group")
def _(s: Script) -> None:
    version = s.get(NEW)["metadata"]["resourceVersion"]
    with s.watch(NEW, events=2, resourceVersion=version) as during:
        during.post(CORE, _event("a"))
        during.delete(f"{NEW}/a")


@case("a lease that is held, renewed and let go")
def _(s: Script) -> None:
    held = {
        "holderIdentity": "me",
        "leaseDurationSeconds": 15,
        "acquireTime": WHEN,
        "renewTime": WHEN,
        "leaseTransitions": 0,
    }
    made = s.post(LEASES, {"metadata": {"name": "l"}, "spec": held})
    version = made["metadata"]["resourceVersion"]
    renewed = {**held, "renewTime": "2020-01-02T03:04:15.000000Z"}
    s.put(f"{LEASES}/l", {"metadata": {"name": "l", "resourceVersion": version}, "spec": renewed})
    s.put(f"{LEASES}/l", {"metadata": {"name": "l", "resourceVersion": version}, "spec": held})
    s.patch(f"{LEASES}/l", {"spec": {"holderIdentity": ""}})


@case("a lease with times of odd forms")
def _(s: Script) -> None:
    for when in ("2020-01-02T03:04:05Z", "2020-01-02T03:04:05.1Z", "2020-01-02T05:04:05.678901+02:00", "now", 5, None):
        s.post(LEASES, {"metadata": {"name": "l"}, "spec": {"renewTime": when}}, dryRun="All")


@case("a lease with values that break the rules")
def _(s: Script) -> None:
    for spec in ({"leaseDurationSeconds": 0}, {"leaseDurationSeconds": -1}, {"leaseTransitions": -1}):
        s.post(LEASES, {"metadata": {"name": "l"}, "spec": spec})


@case("an autoscaler of the first version, read in both")
def _(s: Script) -> None:
    spec = {"scaleTargetRef": TARGET, "maxReplicas": 5, "targetCPUUtilizationPercentage": 70}
    s.post(HPA1, {"metadata": {"name": "h"}, "spec": spec})
    s.get(f"{HPA1}/h")
    s.get(f"{HPA2}/h")


@case("an autoscaler of the second version, read in both")
def _(s: Script) -> None:
    memory = {
        "type": "Resource",
        "resource": {"name": "memory", "target": {"type": "AverageValue", "averageValue": "1Gi"}},
    }
    cpu = {"type": "Resource", "resource": {"name": "cpu", "target": {"type": "Utilization", "averageUtilization": 60}}}
    spec = {"scaleTargetRef": TARGET, "minReplicas": 2, "maxReplicas": 5, "metrics": [memory, cpu]}
    s.post(HPA2, {"metadata": {"name": "h"}, "spec": spec})
    s.get(f"{HPA2}/h")
    s.get(f"{HPA1}/h")
    s.patch(f"{HPA1}/h", {"spec": {"maxReplicas": 9}})
    s.get(f"{HPA2}/h")


@case("autoscalers listed and watched in the first version")
def _(s: Script) -> None:
    version = s.get(HPA1)["metadata"]["resourceVersion"]
    with s.watch(HPA1, events=1, resourceVersion=version) as during:
        during.post(HPA2, {"metadata": {"name": "h"}, "spec": {"scaleTargetRef": TARGET, "maxReplicas": 5}})
    s.get(HPA1)


@case("kinds that are on their way out")
def _(s: Script) -> None:
    path = "/api/v1/namespaces/{ns}/endpoints"
    s.post(path, {"metadata": {"name": "e"}, "subsets": [{"addresses": [{"ip": "10.1.1.1"}], "ports": [{"port": 80}]}]})
    s.get(path)
    s.get(f"{path}/e")
    s.patch(f"{path}/e", {"metadata": {"labels": {"a": "b"}}})
    s.get(f"{path}/none")
    s.delete(f"{path}/e")


@case("a namespace that is made")
def _(s: Script) -> None:
    s.get(HERE)
    s.post(NAMESPACES, {"metadata": {"name": "{ns}"}})
    s.post(
        NAMESPACES, {"metadata": {"name": "{ns}-a", "labels": {"kubernetes.io/metadata.name": "other"}}}, dryRun="All"
    )
    s.post(NAMESPACES, {"metadata": {"name": "{ns}-b"}, "spec": {"finalizers": ["example.com/x"]}}, dryRun="All")
    s.post(NAMESPACES, {"metadata": {"name": "{ns}-c"}, "status": {"phase": "Terminating"}}, dryRun="All")


@case("a namespace that ends takes nothing new")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    s.delete(HERE)
    s.post(CONFIG_MAPS, config_map("b"))
    s.apply(f"{CONFIG_MAPS}/c", config_map("c"))
    s.put(f"{LEASES}/l", {"metadata": {"name": "l"}, "spec": {}})
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"still": "changes"}})
    s.get(f"{CONFIG_MAPS}/a")
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})


@case("a namespace that ends in steps")
def _(s: Script) -> None:
    s.delete(HERE)
    s.delete(HERE)
    s.patch(HERE, {"metadata": {"finalizers": ["example.com/late"]}})
    s.patch(HERE, {"metadata": {"labels": {"a": "b"}}})
    s.put(f"{HERE}/finalize", {"metadata": {"name": "{ns}"}, "spec": {}})
    s.get(HERE)


@case("a namespace with finalizers of two kinds")
def _(s: Script) -> None:
    s.patch(HERE, {"metadata": {"finalizers": ["example.com/x"]}})
    s.delete(HERE)
    s.put(f"{HERE}/finalize", {"metadata": {"name": "{ns}", "finalizers": ["example.com/x"]}, "spec": {}})
    s.get(HERE)
    s.patch(HERE, {"metadata": {"finalizers": None}})
    s.get(HERE)


@case("namespaces that stay")
def _(s: Script) -> None:
    for name in ("default", "kube-system", "kube-public"):
        s.delete(f"{NAMESPACES}/{name}")
        s.delete(f"{NAMESPACES}/{name}", dryRun="All")


@case("a namespace deleted in ways")
def _(s: Script) -> None:
    for index, options in enumerate(
        ({"propagationPolicy": "Foreground"}, {"propagationPolicy": "Orphan"}, {"gracePeriodSeconds": 0})
    ):
        s.post(NAMESPACES, {"metadata": {"name": f"{{ns}}-{index}"}})
        s.delete(f"{NAMESPACES}/{{ns}}-{index}", options)
        s.get(f"{NAMESPACES}/{{ns}}-{index}")


@case("kinds of the whole cluster")
def _(s: Script) -> None:
    for path, body in (
        ("/apis/scheduling.k8s.io/v1/priorityclasses", {"value": 5}),
        ("/apis/storage.k8s.io/v1/storageclasses", {"provisioner": "example.com/p"}),
        ("/apis/node.k8s.io/v1/runtimeclasses", {"handler": "h"}),
        ("/apis/networking.k8s.io/v1/ingressclasses", {"spec": {"controller": "example.com/c"}}),
        (
            "/apis/rbac.authorization.k8s.io/v1/clusterroles",
            {"rules": [{"verbs": ["get"], "resources": ["x"], "apiGroups": [""]}]},
        ),
    ):
        s.post(path, {"metadata": {"name": "{ns}"}, **body})
        s.patch(f"{path}/{{ns}}", {"metadata": {"labels": {"a": "b"}}}, kind="strategic")
        s.delete(f"{path}/{{ns}}")
