"""Kinds of the core group: what each is made of what its author says, and what becomes of it."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import FULL_POD, POD, SELECTOR, TEMPLATE, lifecycle, of_kind

case = Cases("core")
_TOKEN = "/var/run/secrets/kubernetes.io/serviceaccount"
V1 = "/api/v1/namespaces/{ns}"


@case("config maps")
def _(s: Script) -> None:
    full = {"data": {"a": "1"}, "binaryData": {"b": "AAE="}, "immutable": False}
    lifecycle(s, f"{V1}/configmaps", of_kind("v1", "ConfigMap"), full=full, change={"data": {"a": None, "c": "2"}})


@case("secrets")
def _(s: Script) -> None:
    full = {"stringData": {"a": "b"}, "data": {"x": "eA=="}, "type": "example.com/t"}
    lifecycle(s, f"{V1}/secrets", of_kind("v1", "Secret"), full=full, change={"stringData": {"c": "d"}})


@case("service accounts")
def _(s: Script) -> None:
    full = {
        "imagePullSecrets": [{"name": "s"}, {}],
        "secrets": [{"name": "x", "namespace": "n", "kind": "Secret"}],
        "automountServiceAccountToken": False,
    }
    lifecycle(s, f"{V1}/serviceaccounts", of_kind("v1", "ServiceAccount"), full=full)


@case("pods")
def _(s: Script) -> None:
    status = {"phase": "Running", "podIP": "10.1.2.3", "conditions": [{"type": "Ready", "status": "True"}]}
    minimal = of_kind("v1", "Pod", spec=POD)
    lifecycle(s, f"{V1}/pods", minimal, full={"spec": FULL_POD}, status=status, puts_minimal=False)


@case("pods by quality of service")
def _(s: Script) -> None:
    same = {"cpu": "100m", "memory": "64Mi"}
    for name, resources in {
        "limits": {"limits": same},
        "both": {"limits": same, "requests": {**same, "cpu": "0.1"}},
        "some": {"requests": {"cpu": "10m"}},
        "other": {"requests": {"example.com/gpu": 1}, "limits": {"example.com/gpu": 1}},
        "fine": {"requests": {"cpu": "100u"}},
    }.items():
        container = {"name": "a", "image": "i:1", "resources": resources}
        s.post(f"{V1}/pods", of_kind("v1", "Pod", name=name, spec={"containers": [container]}))


@case("pods with resources of their own")
def _(s: Script) -> None:
    container = {"name": "a", "image": "i:1", "resources": {"requests": {"cpu": "100m"}}}
    init = {"name": "b", "image": "i:1", "resources": {"requests": {"cpu": "300m", "memory": "1Gi"}}}
    spec = {"containers": [container], "initContainers": [init], "resources": {"limits": {"cpu": 1, "memory": "2Gi"}}}
    s.post(f"{V1}/pods", of_kind("v1", "Pod", spec=spec))
    same = {"limits": {"cpu": 1, "memory": "2Gi"}}
    s.post(f"{V1}/pods", of_kind("v1", "Pod", name="b", spec={"containers": [container], "resources": same}))


@case("pods that wait for a gate")
def _(s: Script) -> None:
    s.post(f"{V1}/pods", of_kind("v1", "Pod", spec={**POD, "schedulingGates": [{"name": "example.com/x"}]}))
    observed = [{"type": "Ready", "status": "True", "observedGeneration": 1}]
    s.patch(f"{V1}/pods/a/status", {"status": {"observedGeneration": 1, "conditions": observed}})
    s.patch(f"{V1}/pods/a/status", [{"op": "replace", "path": "/status", "value": {"phase": "Running"}}], kind="json")
    s.patch(f"{V1}/pods/a", {"spec": {"schedulingGates": None}})


@case("pods whose constraints name label keys")
def _(s: Script) -> None:
    term = {"topologyKey": "z", "labelSelector": SELECTOR, "matchLabelKeys": ["x"], "mismatchLabelKeys": ["y", "none"]}
    spread = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "topologyKey": "z", "labelSelector": SELECTOR}
    required = "requiredDuringSchedulingIgnoredDuringExecution"
    preferred = "preferredDuringSchedulingIgnoredDuringExecution"
    affinity = {
        "podAffinity": {required: [term]},
        "podAntiAffinity": {preferred: [{"weight": 1, "podAffinityTerm": term}]},
    }
    spec = {**POD, "affinity": affinity, "topologySpreadConstraints": [{**spread, "matchLabelKeys": ["x"]}]}
    s.post(f"{V1}/pods", of_kind("v1", "Pod", metadata={"labels": {"x": "1", "y": "2"}}, spec=spec))


@case("pods with fields of features that are off")
def _(s: Script) -> None:
    container = {"name": "a", "image": "i:1", "lifecycle": {"stopSignal": "SIGTERM"}}
    spec = {
        "os": {"name": "linux"},
        "containers": [container],
        "schedulingGroup": {"podGroupName": "g"},
    }
    s.post(f"{V1}/pods", of_kind("v1", "Pod", spec=spec))
    s.post(f"{V1}/podtemplates", of_kind("v1", "PodTemplate", template={"spec": spec}))


@case("pods and their service account")
def _(s: Script) -> None:
    s.post(f"{V1}/pods", of_kind("v1", "Pod", spec={**POD, "serviceAccountName": "nobody"}))
    s.post(f"{V1}/serviceaccounts", of_kind("v1", "ServiceAccount", name="quiet", automountServiceAccountToken=False))
    secret = [{"name": "pull"}]
    s.post(f"{V1}/serviceaccounts", of_kind("v1", "ServiceAccount", name="puller", imagePullSecrets=secret))
    for name in ("quiet", "puller"):
        s.post(f"{V1}/pods", of_kind("v1", "Pod", name=name, spec={**POD, "serviceAccountName": name}))
    s.post(f"{V1}/pods", of_kind("v1", "Pod", name="old", spec={**POD, "serviceAccount": "quiet"}))
    mounted = {"name": "a", "image": "i", "volumeMounts": [{"name": "t", "mountPath": _TOKEN}]}
    spec = {"containers": [mounted], "volumes": [{"name": "t"}]}
    s.post(f"{V1}/pods", of_kind("v1", "Pod", name="mounted", spec=spec))
    s.post(f"{V1}/pods", of_kind("v1", "Pod", name="loud", spec={**POD, "automountServiceAccountToken": False}))


@case("pods and their priority")
def _(s: Script) -> None:
    classes = "/apis/scheduling.k8s.io/v1/priorityclasses"
    high: dict[str, Any] = {"value": 7, "preemptionPolicy": "Never", "description": "d"}
    s.post(classes, of_kind("scheduling.k8s.io/v1", "PriorityClass", name="{ns}-high", **high))
    pods: dict[str, dict[str, Any]] = {
        "named": {"priorityClassName": "{ns}-high"},
        "same": {"priorityClassName": "{ns}-high", "priority": 7},
        "other": {"priorityClassName": "{ns}-high", "priority": 8},
        "policy": {"preemptionPolicy": "Never"},
        "system": {"priorityClassName": "system-node-critical"},
        "none": {"priorityClassName": "nothing"},
    }
    for name, more in pods.items():
        s.post(f"{V1}/pods", of_kind("v1", "Pod", name=name, spec={**POD, **more}))


@case("pods and their tolerations")
def _(s: Script) -> None:
    for name, tolerations in {
        "all": [{"operator": "Exists"}],
        "one": [{"key": "node.kubernetes.io/not-ready", "operator": "Exists", "effect": "NoExecute"}],
        "other": [{"key": "x", "operator": "Exists"}],
        "elsewhere": [{"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoSchedule"}],
    }.items():
        s.post(f"{V1}/pods", of_kind("v1", "Pod", name=name, spec={**POD, "tolerations": tolerations}))


@case("pods and their runtime class")
def _(s: Script) -> None:
    overhead = {"podFixed": {"cpu": "10m"}}
    scheduling = {"nodeSelector": {"a": "b"}, "tolerations": [{"key": "x", "operator": "Exists"}]}
    runtime: dict[str, Any] = {"handler": "h", "overhead": overhead, "scheduling": scheduling}
    s.post("/apis/node.k8s.io/v1/runtimeclasses", of_kind("node.k8s.io/v1", "RuntimeClass", name="{ns}-rc", **runtime))
    pods: dict[str, dict[str, Any]] = {
        "plain": {"runtimeClassName": "{ns}-rc"},
        "clash": {"runtimeClassName": "{ns}-rc", "nodeSelector": {"a": "c"}},
        "none": {"runtimeClassName": "nothing"},
        "bare": {"overhead": {"cpu": "1"}},
    }
    for name, more in pods.items():
        s.post(f"{V1}/pods", of_kind("v1", "Pod", name=name, spec={**POD, **more}))


@case("pod templates")
def _(s: Script) -> None:
    lifecycle(s, f"{V1}/podtemplates", of_kind("v1", "PodTemplate", template=TEMPLATE), full={"template": TEMPLATE})


@case("replication controllers")
def _(s: Script) -> None:
    full = {"spec": {"replicas": 0, "selector": {"app": "web"}, "template": TEMPLATE, "minReadySeconds": 5}}
    minimal = of_kind("v1", "ReplicationController", spec={"template": TEMPLATE})
    lifecycle(s, f"{V1}/replicationcontrollers", minimal, full=full, status={"replicas": 2, "observedGeneration": 1})


@case("limit ranges")
def _(s: Script) -> None:
    container = {
        "type": "Container",
        "max": {"cpu": "2", "memory": "1Gi"},
        "min": {"cpu": "10m"},
        "default": {"cpu": "1"},
        "defaultRequest": {"memory": "10Mi"},
    }
    minimal = of_kind("v1", "LimitRange", spec={"limits": [{"type": "Pod", "max": {"cpu": "1"}}]})
    s.post(f"{V1}/limitranges", {**minimal, "metadata": {}})
    lifecycle(s, f"{V1}/limitranges", minimal, full={"spec": {"limits": [container]}})


@case("resource quotas")
def _(s: Script) -> None:
    full = {"spec": {"hard": {"pods": "4"}}}
    status = {"hard": {"pods": "4"}, "used": {"pods": "1"}}
    lifecycle(s, f"{V1}/resourcequotas", of_kind("v1", "ResourceQuota"), full=full, status=status)


@case("endpoints")
def _(s: Script) -> None:
    subset = {
        "addresses": [{"ip": "10.1.2.4"}, {"ip": "10.1.2.3", "hostname": "h", "nodeName": "n"}],
        "notReadyAddresses": [{"ip": "10.1.2.5"}],
        "ports": [{"name": "a", "port": 80}, {"name": "b", "port": 81, "protocol": "UDP"}],
    }
    lifecycle(s, f"{V1}/endpoints", of_kind("v1", "Endpoints"), full={"subsets": [subset]})


@case("events")
def _(s: Script) -> None:
    about = {"kind": "Pod", "namespace": "{ns}", "name": "p"}
    full = {
        "involvedObject": about,
        "reason": "R",
        "message": "m",
        "type": "Normal",
        "count": 2,
        "firstTimestamp": "2020-01-01T00:00:00Z",
        "lastTimestamp": "2020-01-01T00:00:01Z",
        "source": {"component": "c", "host": "h"},
    }
    minimal = of_kind("v1", "Event", involvedObject={"namespace": "{ns}"})
    lifecycle(s, f"{V1}/events", minimal, full=full)
    s.get("/apis/events.k8s.io/v1/namespaces/{ns}/events")


@case("events of the newer group")
def _(s: Script) -> None:
    path = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
    full: dict[str, Any] = {
        "eventTime": "2020-01-01T00:00:00.123456Z",
        "reportingController": "example.com/c",
        "reportingInstance": "i",
        "action": "A",
        "reason": "R",
        "type": "Warning",
        "note": "n",
        "regarding": {"kind": "Pod", "namespace": "{ns}", "name": "p"},
        "series": {"count": 3, "lastObservedTime": "2020-01-01T00:00:02.000001Z"},
    }
    s.post(path, of_kind("events.k8s.io/v1", "Event", **full))
    s.get(f"{V1}/events/a")
    s.get(path)
    s.patch(f"{path}/a", {"series": {"count": 4}})


@case("persistent volume claims")
def _(s: Script) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    full = {"spec": {**spec, "storageClassName": "", "volumeMode": "Block", "selector": {"matchLabels": {"a": "b"}}}}
    status = {"phase": "Bound", "capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"]}
    minimal = of_kind("v1", "PersistentVolumeClaim", spec=spec)
    # The real server stores a new claim without its phase, so that the first write of the same is a write.
    lifecycle(s, f"{V1}/persistentvolumeclaims", minimal, full=full, status=status, puts_same=False)


@case("persistent volume claims with content")
def _(s: Script) -> None:
    spec = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    for name, more in {
        "old": {"dataSource": {"kind": "PersistentVolumeClaim", "name": "x"}},
        "new": {"dataSourceRef": {"kind": "PersistentVolumeClaim", "name": "x"}},
        "snapshot": {"dataSource": {"apiGroup": "snapshot.storage.k8s.io", "kind": "VolumeSnapshot", "name": "x"}},
        "ignored": {"dataSource": {"apiGroup": "example.com", "kind": "K", "name": "x"}},
        "any": {"dataSourceRef": {"apiGroup": "example.com", "kind": "K", "name": "x"}},
    }.items():
        path = f"{V1}/persistentvolumeclaims"
        s.post(path, of_kind("v1", "PersistentVolumeClaim", name=name, spec={**spec, **more}))


@case("persistent volumes")
def _(s: Script) -> None:
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/tmp/x"}}
    full = {"spec": {**spec, "hostPath": None, "nfs": {"server": "s", "path": "/p"}, "storageClassName": "c"}}
    status = {"phase": "Available"}
    minimal = of_kind("v1", "PersistentVolume", spec=spec)
    lifecycle(s, "/api/v1/persistentvolumes", minimal, full=full, status=status)


@case("nodes")
def _(s: Script) -> None:
    full = {
        "spec": {"podCIDR": "10.2.0.0/24", "taints": [{"key": "k", "effect": "NoSchedule"}], "unschedulable": True},
        "status": {"capacity": {"cpu": "4", "memory": "8Gi"}},
    }
    status = {"conditions": [{"type": "Ready", "status": "True"}], "capacity": {"cpu": "2"}}
    lifecycle(s, "/api/v1/nodes", of_kind("v1", "Node"), full=full, status=status)


@case("namespaces")
def _(s: Script) -> None:
    path = "/api/v1/namespaces"
    s.post(
        path, of_kind("v1", "Namespace", name="{ns}-x", metadata={"labels": {"a": "b"}}, spec={"finalizers": ["a/b"]})
    )
    s.patch(f"{path}/{{ns}}-x", {"metadata": {"labels": {"kubernetes.io/metadata.name": "no", "c": "d"}}})
    s.patch(f"{path}/{{ns}}-x/status", {"status": {"conditions": [{"type": "T", "status": "True"}]}})
    s.put(f"{path}/{{ns}}-x", of_kind("v1", "Namespace", name="{ns}-x"))
    s.post(path, of_kind("v1", "Namespace", name="", metadata={"generateName": "gen-"}))
