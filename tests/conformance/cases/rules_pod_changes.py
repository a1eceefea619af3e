"""Rules of what may change of a pod, by itself and by its subresource for ephemeral containers."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.builtin_objects import POD

case = Cases("pod-changes")
PATH: Final = "/api/v1/namespaces/{ns}/pods"


def _make(s: Script, spec: dict[str, Any]) -> None:
    s.post(PATH, {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a"}, "spec": {**POD, **spec}})


@case("metadata of changed pods")
def _(s: Script) -> None:
    _make(s, {})
    s.patch(f"{PATH}/a", {"metadata": {"labels": {"a b": "c"}}})
    s.patch(f"{PATH}/a", {"metadata": {"annotations": {"a b": "c"}}})


@case("ephemeral containers")
def _(s: Script) -> None:
    _make(s, {"volumes": [{"name": "v"}]})
    mount = {"name": "v", "mountPath": "/v", "subPath": "s"}
    containers: tuple[dict[str, Any], ...] = (
        {"name": "a", "image": "i"},
        {"name": "e"},
        {"name": "e", "image": "i", "targetContainerName": "x"},
        {"name": "e", "image": "i", "ports": [{"containerPort": 1}]},
        {"name": "e", "image": "i", "livenessProbe": {"tcpSocket": {"port": 1}}},
        {"name": "e", "image": "i", "volumeMounts": [mount]},
        {"name": "e", "image": "i", "restartPolicy": "Always", "restartPolicyRules": [{"action": "Restart"}]},
        {"name": "e", "image": "i", "resizePolicy": [{"resourceName": "cpu", "restartPolicy": "NotRequired"}]},
        {"name": "e", "image": "i", "lifecycle": {}, "resources": {}},
        {"name": "e", "image": "i", "lifecycle": {"stopSignal": "SIGTERM"}, "targetContainerName": "x"},
        {"name": "e", "image": "i"},
        {"name": "f", "image": "i"},
    )
    for container in containers:
        s.patch(f"{PATH}/a/ephemeralcontainers", {"spec": {"ephemeralContainers": [container]}})


@case("changes")
def _(s: Script) -> None:
    toleration = {"key": "a", "operator": "Exists", "effect": "NoExecute", "tolerationSeconds": 5}
    spec = {"activeDeadlineSeconds": 10, "tolerations": [toleration], "schedulingGates": [{"name": "g"}]}
    _make(s, spec)
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "a", "image": "j"}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "a", "image": " "}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"containers": [{"name": "b", "image": "j"}]}}, kind="strategic")
    s.patch(f"{PATH}/a", {"spec": {"initContainers": [{"name": "b", "image": "j"}]}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": 9}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": 11}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": None}})
    s.patch(f"{PATH}/a", {"spec": {"activeDeadlineSeconds": -1}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": [{"name": "h"}]}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": [{"name": "h"}, {"name": "g"}, {"name": "h"}]}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": None}})
    s.patch(f"{PATH}/a", {"spec": {"tolerations": None}})
    s.get(f"{PATH}/a")


_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"


def _nodes(*terms: dict[str, Any]) -> dict[str, Any]:
    return {"nodeAffinity": {_REQUIRED: {"nodeSelectorTerms": list(terms)}}}


@case("gated pods are told where to go")
def _(s: Script) -> None:
    zone = {"key": "zone", "operator": "In", "values": ["a"]}
    arch = {"key": "arch", "operator": "Exists"}
    field = {"key": "metadata.name", "operator": "In", "values": ["n"]}
    gated = {"schedulingGates": [{"name": "g"}]}
    _make(s, {**gated, "nodeSelector": {"a": "b"}, "affinity": _nodes({"matchExpressions": [zone]})})
    for spec in (
        {"nodeSelector": {"a": "c"}},
        {"nodeSelector": None},
        {"nodeSelector": {"a": "b", "d": "e"}},
        {"affinity": None},
        {"affinity": _nodes({"matchExpressions": [arch, zone]})},
        {"affinity": _nodes({"matchExpressions": [zone]}, {"matchExpressions": [arch]})},
        {"affinity": _nodes({"matchFields": [field]})},
        {"affinity": _nodes({"matchExpressions": [zone, arch], "matchFields": [field]})},
        {"affinity": {"podAffinity": {_REQUIRED: [{"topologyKey": "k"}]}}},
        {"priority": 5, "hostname": "h"},
    ):
        s.patch(f"{PATH}/a", {"spec": spec})
    s.get(f"{PATH}/a")


@case("gated pods that were told nothing")
def _(s: Script) -> None:
    _make(s, {"schedulingGates": [{"name": "g"}], "affinity": {"podAffinity": {}}})
    preferred = [{"weight": 1, "preference": {"matchExpressions": [{"key": "k", "operator": "Exists"}]}}]
    key = "preferredDuringSchedulingIgnoredDuringExecution"
    s.patch(f"{PATH}/a", {"spec": {"affinity": {"nodeAffinity": {key: preferred}}}})
    s.patch(f"{PATH}/a", {"spec": {"affinity": _nodes({})}})
    s.patch(f"{PATH}/a", {"spec": {"affinity": _nodes({"matchFields": []})}})
    s.patch(f"{PATH}/a", {"spec": {"affinity": None}})
    s.patch(f"{PATH}/a", {"spec": {"schedulingGates": None, "nodeSelector": {"a": "b"}}})
    s.patch(f"{PATH}/a", {"spec": {"nodeSelector": {"a": "c"}}})


@case("changes that are shown")
def _(s: Script) -> None:
    probe = {"httpGet": {"port": "web", "path": "/<&>"}}
    container = {"name": "a", "image": "i:1", "livenessProbe": probe, "env": [{"name": "A", "value": "\u00e4"}]}
    secret = {"name": "v", "secret": {"secretName": "s"}}
    _make(s, {"containers": [container], "volumes": [secret, {"name": "w", "emptyDir": {"sizeLimit": "1Gi"}}]})
    for spec in (
        {"hostNetwork": True},
        {"hostUsers": False, "shareProcessNamespace": True},
        {"securityContext": {"fsGroup": 5, "supplementalGroups": [3]}},
        {"volumes": None},
        {"restartPolicy": "Never", "terminationGracePeriodSeconds": 3},
        {"containers": [{**container, "command": ["c"], "resources": {"limits": {"cpu": "1", "a.b/c": "2"}}}]},
        {"containers": [{**container, "env": [{"name": "A", "value": "<"}], "ports": [{"containerPort": 1}]}]},
        {"containers": [{**container, "envFrom": [{"secretRef": {"name": "s"}}], "workingDir": "/w"}]},
        {"overhead": {"cpu": "1"}, "priorityClassName": "p", "imagePullSecrets": [{"name": "s"}]},
        {"dnsConfig": {"options": [{"name": "n"}]}, "hostAliases": [{"ip": "1.2.3.4", "hostnames": ["h"]}]},
        {"resourceClaims": [{"name": "c", "resourceClaimName": "d"}], "os": {"name": "linux"}},
        {"readinessGates": [{"conditionType": "a.b/c"}], "enableServiceLinks": False, "nodeName": "n"},
        {"affinity": {"podAntiAffinity": {_REQUIRED: [{"topologyKey": "k", "labelSelector": {}}]}}},
        {"ephemeralContainers": [{"name": "e", "image": "i"}]},
        {"resources": {"limits": {"memory": "1.5", "cpu": "0"}}, "setHostnameAsFQDN": False, "hostPID": True},
    ):
        s.patch(f"{PATH}/a", {"spec": spec})


@case("spreading that is shown")
def _(s: Script) -> None:
    selector = {"matchLabels": {"b": "c", "a": "b"}, "matchExpressions": [{"key": "k", "operator": "Exists"}]}
    spread = {"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "DoNotSchedule", "labelSelector": selector}
    _make(s, {})
    s.patch(f"{PATH}/a", {"spec": {"topologySpreadConstraints": [spread]}})
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}, "selector": selector}
    template = {"metadata": {"labels": {"b": "c"}, "annotations": {"a": "b"}}, "spec": claim}
    s.patch(f"{PATH}/a", {"spec": {"volumes": [{"name": "v", "ephemeral": {"volumeClaimTemplate": template}}]}})


@case("ephemeral containers that change")
def _(s: Script) -> None:
    _make(s, {})
    first = {"name": "e", "image": "i:1", "command": ["c"], "stdin": True}
    path = f"{PATH}/a/ephemeralcontainers"
    s.patch(path, {"spec": {"ephemeralContainers": [first]}})
    s.patch(path, {"spec": {"ephemeralContainers": [{**first, "image": "j:1", "tty": True}]}})
    s.patch(path, {"spec": {"ephemeralContainers": [first, {"name": "f", "image": "i", "targetContainerName": "a"}]}})
    s.patch(path, {"spec": {"ephemeralContainers": [{**first, "env": []}, {"name": "f", "image": "i"}]}})
    s.patch(path, {"spec": {"ephemeralContainers": []}})
    s.patch(path, {"metadata": {"annotations": {"kubernetes.io/config.mirror": "m"}}})
