"""Rules between the fields of a pod: one fault per request, and a few with several, where the order is fixed."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

case = Cases("pod-rules")
PATH: Final = "/api/v1/namespaces/{ns}/pods"
_VOLUMES: Final = [
    {"name": "v"},
    {"name": "c", "persistentVolumeClaim": {"claimName": "c"}},
]


def _pod(spec: dict[str, Any], name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": spec}


def _specs(s: Script, *specs: dict[str, Any]) -> None:
    """Send a pod for each, with a good container where the spec has none."""
    for spec in specs:
        s.post(PATH, _pod({"containers": [{"name": "a", "image": "i"}], **spec}))


def _containers(s: Script, *containers: dict[str, Any]) -> None:
    """Send a pod for each, with volumes to mount."""
    for container in containers:
        _specs(s, {"containers": [{"name": "a", "image": "i", **container}], "volumes": _VOLUMES})


def _inits(s: Script, *containers: dict[str, Any]) -> None:
    for container in containers:
        _specs(s, {"initContainers": [{"name": "i", "image": "i", **container}]})


@case("containers")
def _(s: Script) -> None:
    s.post(PATH, _pod({}))
    s.post(PATH, _pod({"containers": []}))
    s.post(PATH, _pod({"containers": [{}]}))
    s.post(PATH, _pod({"containers": [{"name": "a"}]}))
    s.post(PATH, _pod({"containers": [{"name": "A_b", "image": "i"}]}))
    s.post(PATH, _pod({"containers": [{"name": "a.b", "image": "i"}]}))
    s.post(PATH, _pod({"containers": [{"name": "a", "image": " i"}]}))
    s.post(PATH, _pod({"containers": [{"name": "a", "image": "i"}, {"name": "a", "image": "j"}]}))
    _containers(s, {"imagePullPolicy": "Sometimes"}, {"terminationMessagePolicy": "x"})
    _containers(s, {"image": "", "imagePullPolicy": "x", "ports": [{}], "env": [{}]})


@case("ports")
def _(s: Script) -> None:
    _containers(
        s,
        {"ports": [{}]},
        {"ports": [{"containerPort": 0}]},
        {"ports": [{"containerPort": 70000}]},
        {"ports": [{"containerPort": -1}]},
        {"ports": [{"containerPort": 1, "hostPort": 70000}]},
        {"ports": [{"containerPort": 1, "protocol": "tcp"}]},
        {"ports": [{"containerPort": 1, "name": "UPPER"}]},
        {"ports": [{"containerPort": 1, "name": "a-name-too-long-for-one"}]},
        {"ports": [{"containerPort": 1, "name": "-1--2"}]},
        {"ports": [{"containerPort": 1, "name": "a"}, {"containerPort": 2, "name": "a"}]},
        {"ports": [{"containerPort": 1, "hostPort": 1}, {"containerPort": 2, "hostPort": 1}]},
    )
    port = {"ports": [{"containerPort": 80, "hostPort": 81}]}
    _specs(
        s,
        {"hostNetwork": True, "containers": [{"name": "a", "image": "i", **port}]},
        {"containers": [{"name": "a", "image": "i", **port}, {"name": "b", "image": "i", **port}]},
    )


@case("environments")
def _(s: Script) -> None:
    key = {"name": "n", "key": "k"}
    _containers(
        s,
        {"env": [{"name": ""}]},
        {"env": [{"name": "a=b"}]},
        {"env": [{"name": "Ä"}]},
        {"env": [{"name": "A", "valueFrom": {}}]},
        {"env": [{"name": "A", "value": "v", "valueFrom": {"secretKeyRef": key}}]},
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": key, "configMapKeyRef": key}}]},
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "n"}}}]},
        {"env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "n", "key": "a/b"}}}]},
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"key": "k"}}}]},
        {"env": [{"name": "A", "valueFrom": {"configMapKeyRef": {"name": "A_", "key": "k"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.x"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.labels['a b']"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name['a']"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fieldRef": {"apiVersion": "v2", "fieldPath": "metadata.name"}}}]},
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {}}}]},
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.x"}}}]},
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.cpu", "divisor": "2"}}}]},
        {"env": [{"name": "A", "valueFrom": {"resourceFieldRef": {"resource": "limits.memory", "divisor": "2"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {"key": "k", "path": "p", "volumeName": "x"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {"key": "k", "path": "p", "volumeName": "c"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {"key": "=", "path": "../p", "volumeName": "V"}}}]},
        {"env": [{"name": "A", "valueFrom": {"fileKeyRef": {"key": "k", "path": "p", "volumeName": "v"}}}]},
    )


@case("environments from whole objects")
def _(s: Script) -> None:
    _containers(
        s,
        {"envFrom": [{}]},
        {"envFrom": [{"configMapRef": {}}]},
        {"envFrom": [{"secretRef": {"name": "A_"}}]},
        {"envFrom": [{"secretRef": {"name": "a"}, "configMapRef": {"name": "a"}}]},
        {"envFrom": [{"prefix": "=", "secretRef": {"name": "a"}}]},
    )


@case("mounts")
def _(s: Script) -> None:
    mount = {"name": "v", "mountPath": "/a"}
    _containers(
        s,
        {"volumeMounts": [{"mountPath": "/a"}]},
        {"volumeMounts": [{"name": "x", "mountPath": "/a"}]},
        {"volumeMounts": [{"name": "v"}]},
        {"volumeMounts": [mount, mount]},
        {"volumeMounts": [{**mount, "subPath": "/x"}]},
        {"volumeMounts": [{**mount, "subPath": "../x"}]},
        {"volumeMounts": [{**mount, "subPath": "x", "subPathExpr": "y"}]},
        {"volumeMounts": [{**mount, "mountPropagation": "x"}]},
        {"volumeMounts": [{**mount, "mountPropagation": "Bidirectional"}]},
        {"volumeMounts": [{**mount, "recursiveReadOnly": "Enabled"}]},
        {"volumeMounts": [{**mount, "recursiveReadOnly": "x"}]},
        {"volumeDevices": [{"name": "v", "devicePath": "/d"}]},
        {"volumeDevices": [{"name": "c"}]},
        {"volumeDevices": [{"name": "c", "devicePath": "/a"}], "volumeMounts": [mount]},
        {"volumeDevices": [{"name": "c", "devicePath": "/../d"}]},
    )


@case("probes")
def _(s: Script) -> None:
    tcp = {"tcpSocket": {"port": 1}}
    _containers(
        s,
        {"livenessProbe": {}},
        {"livenessProbe": {"exec": {}}},
        {"livenessProbe": {"tcpSocket": {"port": 0}}},
        {"livenessProbe": {"tcpSocket": {"port": "A"}}},
        {"livenessProbe": {"grpc": {"port": 70000}}},
        {"livenessProbe": {"httpGet": {"port": 1, "scheme": "ftp"}}},
        {"livenessProbe": {"httpGet": {"port": 1, "httpHeaders": [{"name": "a b", "value": "c"}]}}},
        {"livenessProbe": {**tcp, "exec": {"command": ["x"]}}},
        {"livenessProbe": {**tcp, "periodSeconds": -1}},
        {"livenessProbe": {**tcp, "successThreshold": 2}},
        {"readinessProbe": {**tcp, "successThreshold": 2, "terminationGracePeriodSeconds": 5}},
        {"startupProbe": {**tcp, "terminationGracePeriodSeconds": 0}},
        {"lifecycle": {"preStop": {}}},
        {"lifecycle": {"preStop": {"sleep": {"seconds": 31}}}},
        {"lifecycle": {"postStart": {"exec": {}}}},
    )


@case("resources")
def _(s: Script) -> None:
    _containers(
        s,
        {"resources": {"requests": {"cpu": "2"}, "limits": {"cpu": "1"}}},
        {"resources": {"requests": {"memory": "2Gi"}, "limits": {"memory": "1024Mi"}}},
        {"resources": {"limits": {"cpu": "-1"}, "requests": {"cpu": "-2"}}},
        {"resources": {"limits": {"x": "1"}}},
        {"resources": {"limits": {"pods": "1"}}},
        {"resources": {"limits": {"a b": "1"}}},
        {"resources": {"limits": {"example.com/gpu": "1"}, "requests": {"example.com/gpu": "2"}}},
        {"resources": {"requests": {"example.com/gpu": "2"}}},
        {"resources": {"limits": {"hugepages-2Mi": "2Mi"}}},
        {"resources": {"limits": {"cpu": "1"}, "requests": {"cpu": "1000m"}}},
    )
    s.delete(f"{PATH}/a")
    _containers(s, {"resizePolicy": [{"resourceName": "x", "restartPolicy": "NotRequired"}]})


@case("restarts")
def _(s: Script) -> None:
    rule = {"action": "Restart", "exitCodes": {"operator": "In", "values": [1]}}
    _containers(
        s,
        {"restartPolicy": "x"},
        {"restartPolicyRules": [rule]},
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "x", "exitCodes": {"operator": "y"}}]},
        {"restartPolicy": "Never", "restartPolicyRules": [{"action": "Restart"}]},
    )


@case("init containers")
def _(s: Script) -> None:
    tcp = {"tcpSocket": {"port": 1}}
    _inits(
        s,
        {"name": "a"},
        {"image": ""},
        {"restartPolicy": "x"},
        {"livenessProbe": tcp},
        {"lifecycle": {"preStop": {"exec": {"command": ["x"]}}}},
        {"restartPolicy": "Always", "startupProbe": {**tcp, "successThreshold": 3}},
    )
    container = {"name": "i", "image": "i"}
    _specs(s, {"initContainers": [container, container]}, {"ephemeralContainers": [{"name": "e", "image": "i"}]})


@case("volumes")
def _(s: Script) -> None:
    volumes: tuple[dict[str, Any], ...] = (
        {"emptyDir": {}, "hostPath": {"path": "/x"}},
        {"emptyDir": {"sizeLimit": "-1"}},
        {"hostPath": {"path": ""}},
        {"hostPath": {"path": "/a/../b"}},
        {"hostPath": {"path": "/a", "type": "x"}},
        {"secret": {}},
        {"secret": {"secretName": "s", "defaultMode": 1000}},
        {"secret": {"secretName": "s", "items": [{"key": "k"}]}},
        {"secret": {"secretName": "s", "items": [{"key": "k", "path": "../p"}]}},
        {"configMap": {}},
        {"configMap": {"name": "c", "items": [{"key": "", "path": "/p"}]}},
        {"configMap": {"name": "c", "items": [{"key": "k", "path": "..p", "mode": 1000}]}},
        {"nfs": {"server": "", "path": "p"}},
        {"persistentVolumeClaim": {"claimName": ""}},
        {"downwardAPI": {"items": [{"path": "p"}]}},
        {"downwardAPI": {"items": [{"path": "p", "fieldRef": {"fieldPath": "status.podIP"}}]}},
        {"downwardAPI": {"items": [{"path": "p", "resourceFieldRef": {"resource": "limits.cpu"}}]}},
        {"ephemeral": {}},
        {"ephemeral": {"volumeClaimTemplate": {"spec": {}}}},
        {"projected": {"sources": [{"secret": {}}]}},
        {"projected": {"sources": [{"secret": {"name": "s"}, "configMap": {"name": "c"}}]}},
        {"projected": {"sources": [{"serviceAccountToken": {"path": "t", "expirationSeconds": 1}}]}},
        {"projected": {"sources": [{"serviceAccountToken": {"path": ""}}]}},
    )
    _specs(s, *({"volumes": [{"name": "v", **volume}]} for volume in volumes))
    _specs(
        s,
        {"volumes": [{"name": ""}]},
        {"volumes": [{"name": "A"}]},
        {"volumes": [{"name": "v"}, {"name": "v"}]},
    )


@case("policies and names")
def _(s: Script) -> None:
    _specs(
        s,
        {"restartPolicy": "x"},
        {"dnsPolicy": "x"},
        {"dnsPolicy": "None"},
        {"dnsPolicy": "None", "dnsConfig": {}},
        {"dnsConfig": {"nameservers": ["x"]}},
        {"dnsConfig": {"nameservers": ["1.1.1.1", "1.1.1.2", "1.1.1.3", "1.1.1.4"]}},
        {"dnsConfig": {"options": [{"value": "x"}]}},
        {"nodeSelector": {"a b": "c"}},
        {"nodeSelector": {"a": "c d"}},
        {"activeDeadlineSeconds": 0},
        {"hostname": "a.b"},
        {"subdomain": "A"},
        {"nodeName": "A"},
        {"hostAliases": [{"ip": "x"}]},
        {"hostAliases": [{"ip": "1.1.1.1", "hostnames": ["A"]}]},
        {"preemptionPolicy": "x"},
        {"os": {"name": "x"}},
        {"readinessGates": [{"conditionType": "a b"}]},
        {"schedulingGates": [{"name": "a"}, {"name": "a"}]},
        {"schedulingGates": [{"name": "a"}], "nodeName": "n"},
    )


@case("security")
def _(s: Script) -> None:
    _specs(
        s,
        {"securityContext": {"runAsUser": -1}},
        {"securityContext": {"fsGroup": 2**31}},
        {"securityContext": {"supplementalGroups": [1, -1]}},
        {"securityContext": {"fsGroupChangePolicy": "x"}},
        {"securityContext": {"seccompProfile": {"type": "x"}}},
        {"securityContext": {"seccompProfile": {"type": ""}}},
        {"securityContext": {"seccompProfile": {"type": "Localhost"}}},
        {"securityContext": {"seccompProfile": {"type": "Unconfined", "localhostProfile": "p"}}},
        {"securityContext": {"appArmorProfile": {"type": "x"}}},
        {"securityContext": {"appArmorProfile": {"type": "Localhost"}}},
        {"securityContext": {"supplementalGroupsPolicy": "x"}},
        {"securityContext": {"sysctls": [{"name": "", "value": "1"}]}},
        {"securityContext": {"sysctls": [{"name": "kernel.msgmax", "value": "1"}] * 2}},
        {"securityContext": {"sysctls": [{"name": each, "value": "1"} for each in ("foo-", "a..b", "A", "a/b", "é")]}},
        {"securityContext": {"sysctls": [{"name": "net/ipv4/x", "value": "1"}]}, "hostNetwork": True},
        {"securityContext": {"sysctls": [{"name": "kernel.shmmax", "value": "1"}]}, "hostIPC": True},
        {"shareProcessNamespace": True, "hostPID": True},
        {"hostUsers": False, "hostPID": True},
    )
    _containers(
        s,
        {"securityContext": {"runAsUser": -1, "runAsGroup": -2}},
        {"securityContext": {"procMount": "x"}},
        {"securityContext": {"procMount": "Unmasked"}},
        {"securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "/p"}}},
    )


@case("tolerations")
def _(s: Script) -> None:
    tolerations: tuple[dict[str, Any], ...] = (
        {},
        {"key": "a b"},
        {"key": "a", "operator": "x"},
        {"key": "a", "operator": "Exists", "value": "v"},
        {"key": "a", "value": "a b"},
        {"key": "a", "effect": "x"},
        {"key": "a", "effect": "NoSchedule", "tolerationSeconds": 1},
        {"key": "a", "operator": "Lt", "value": "1"},
    )
    _specs(s, *({"tolerations": [toleration]} for toleration in tolerations))


@case("affinity")
def _(s: Script) -> None:
    required, preferred = (f"{name}DuringSchedulingIgnoredDuringExecution" for name in ("required", "preferred"))
    expressions: tuple[dict[str, Any], ...] = (
        {"key": "a", "operator": "In"},
        {"key": "a", "operator": "Exists", "values": ["b"]},
        {"key": "a", "operator": "Gt"},
        {"key": "a", "operator": "x"},
        {"key": "a b", "operator": "Exists"},
        {"key": "a", "operator": "In", "values": ["a b"]},
    )
    nodes: list[dict[str, Any]] = [{required: {"nodeSelectorTerms": [{"matchExpressions": [e]}]}} for e in expressions]
    nodes += [
        {required: {"nodeSelectorTerms": []}},
        {required: {"nodeSelectorTerms": [{"matchFields": [{"key": "x", "operator": "In", "values": ["n"]}]}]}},
        {preferred: [{"weight": 0, "preference": {}}]},
    ]
    _specs(s, *({"affinity": {"nodeAffinity": node}} for node in nodes))
    pods: tuple[dict[str, Any], ...] = (
        {required: [{"labelSelector": {}}]},
        {required: [{"topologyKey": "k", "labelSelector": {"matchLabels": {"a": "b c"}}}]},
        {required: [{"topologyKey": "k", "namespaces": ["A"]}]},
        {required: [{"topologyKey": "k", "matchLabelKeys": ["a"]}]},
        {preferred: [{"weight": 101, "podAffinityTerm": {"topologyKey": "k"}}]},
    )
    _specs(s, *({"affinity": {"podAntiAffinity": pod}} for pod in pods))


@case("spreading")
def _(s: Script) -> None:
    good = {"maxSkew": 1, "topologyKey": "k", "whenUnsatisfiable": "ScheduleAnyway"}
    constraints: tuple[dict[str, Any], ...] = (
        {**good, "maxSkew": 0},
        {**good, "topologyKey": ""},
        {**good, "whenUnsatisfiable": "x"},
        {**good, "minDomains": 1},
        {**good, "whenUnsatisfiable": "DoNotSchedule", "minDomains": 0},
        {**good, "nodeTaintsPolicy": "x"},
        {**good, "matchLabelKeys": ["a"]},
        {**good, "labelSelector": {"matchExpressions": [{"key": "a", "operator": "x"}]}},
    )
    _specs(s, *({"topologySpreadConstraints": [each]} for each in constraints))
    _specs(s, {"topologySpreadConstraints": [good, good]})


@case("resource claims")
def _(s: Script) -> None:
    claim = {"name": "c", "resourceClaimName": "x"}
    _specs(
        s,
        {"resourceClaims": [{}]},
        {"resourceClaims": [{"name": "c", "resourceClaimName": "x", "resourceClaimTemplateName": "y"}]},
        {"resourceClaims": [{"name": "C", "resourceClaimName": "X"}]},
        {"resourceClaims": [claim, claim]},
    )
    _containers(s, {"resources": {"claims": [{"name": "c"}]}}, {"resources": {"claims": [{"name": ""}]}})


@case("odd texts in place of choices")
def _(s: Script) -> None:
    odd = "<\u0007>"
    _specs(
        s,
        {"dnsPolicy": odd},
        {"restartPolicy": odd},
        {"preemptionPolicy": odd},
        {"volumes": [{"name": "v", "hostPath": {"path": "/p", "type": odd}}]},
        {"securityContext": {"fsGroupChangePolicy": odd, "supplementalGroupsPolicy": odd, "seLinuxChangePolicy": odd}},
        {"securityContext": {"seccompProfile": {"type": odd, "localhostProfile": odd}}},
        {"securityContext": {"appArmorProfile": {"type": "Unconfined", "localhostProfile": odd}}},
        {"topologySpreadConstraints": [{"topologyKey": "k", "whenUnsatisfiable": odd, "nodeTaintsPolicy": odd}]},
        {"os": {"name": odd}},
        {"tolerations": [{"operator": odd, "effect": odd}]},
    )
    _containers(
        s,
        {"imagePullPolicy": odd, "terminationMessagePolicy": odd},
        {"securityContext": {"procMount": odd}},
        {"volumeMounts": [{"name": "v", "mountPath": "/", "mountPropagation": odd, "recursiveReadOnly": odd}]},
        {"restartPolicy": odd},
        {"resizePolicy": [{"resourceName": odd, "restartPolicy": odd}]},
    )


@case("names that nothing has")
def _(s: Script) -> None:
    for name in ("/a", "..", "a%b", "a b", "A"):
        _specs(s, {"serviceAccountName": name}, {"priorityClassName": name})
    _specs(s, {"runtimeClassName": "a b"}, {"runtimeClassName": "A"})
