"""Parts of built-in objects, and the life that every kind goes through."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Script

POD: Final[dict[str, Any]] = {"containers": [{"name": "a", "image": "i:1"}]}
LABELS: Final = {"app": "web"}
SELECTOR: Final = {"matchLabels": LABELS}
TEMPLATE: Final[dict[str, Any]] = {"metadata": {"labels": LABELS}, "spec": POD}
_OF_WEB: Final = {"labelSelector": SELECTOR}
_RESOURCE: Final = {"resourceFieldRef": {"resource": "limits.cpu"}}
FULL_POD: Final[dict[str, Any]] = {
    "containers": [
        {
            "name": "a",
            "image": "i",
            "command": ["c"],
            "args": ["d"],
            "workingDir": "/w",
            "ports": [{"containerPort": 80}, {"containerPort": 81, "name": "b", "protocol": "UDP"}],
            "env": [
                {"name": "A", "value": ""},
                {"name": "B", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}},
                {"name": "C", "valueFrom": _RESOURCE},
                {"name": "D", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}}},
                {"name": "E", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}},
            ],
            "envFrom": [{"prefix": "P", "configMapRef": {"name": "c"}}, {"secretRef": {"name": "s"}}],
            "resources": {"limits": {"cpu": 1, "memory": "1.5Gi"}, "requests": {"cpu": "0.5"}},
            "readinessProbe": {"httpGet": {"port": "b"}},
            "livenessProbe": {"tcpSocket": {"port": 80}, "periodSeconds": 3},
            "startupProbe": {"grpc": {"port": 80}},
            "lifecycle": {"preStop": {"exec": {"command": ["x"]}}, "postStart": {"httpGet": {"port": 1, "path": "/x"}}},
            "securityContext": {"capabilities": {"drop": ["ALL"]}, "runAsUser": 0, "privileged": False},
            "volumeMounts": [{"name": "v1", "mountPath": "/v1"}, {"name": "v2", "mountPath": "/v2", "readOnly": True}],
        },
        {"name": "b", "image": "example.com:5000/x@sha256:" + "0" * 64, "imagePullPolicy": "Never"},
        {"name": "c", "image": "x/y:latest", "terminationMessagePolicy": "FallbackToLogsOnError"},
    ],
    "initContainers": [{"name": "i", "image": "i:2", "restartPolicy": "Always"}],
    "volumes": [
        {"name": "v1"},
        {"name": "v2", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}},
        {"name": "v3", "secret": {"secretName": "s"}},
        {"name": "v4", "hostPath": {"path": "/x"}},
        {"name": "v5", "downwardAPI": {"items": [{"path": "l", "fieldRef": {"fieldPath": "metadata.labels"}}]}},
        {"name": "v6", "projected": {"sources": [{"serviceAccountToken": {"path": "t"}}, {"secret": {"name": "s"}}]}},
        {"name": "v7", "persistentVolumeClaim": {"claimName": "c"}},
        {"name": "v8", "emptyDir": {"medium": "Memory", "sizeLimit": "1Gi"}},
        {"name": "v9", "nfs": {"server": "s", "path": "/p"}},
        {"name": "v10", "iscsi": {"targetPortal": "10.0.0.1:3260", "iqn": "iqn.2001-04.com.example:a", "lun": 0}},
        {"name": "v11", "csi": {"driver": "example.com"}},
        {
            "name": "v12",
            "ephemeral": {
                "volumeClaimTemplate": {
                    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
                }
            },
        },
    ],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway", **_OF_WEB}],
    "affinity": {
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "a", "operator": "Exists"}]}]
            }
        },
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [
                {"weight": 1, "podAffinityTerm": {"topologyKey": "z", "labelSelector": SELECTOR}}
            ]
        },
    },
    "nodeSelector": {"a": "b"},
    "hostname": "h",
    "hostAliases": [{"ip": "10.9.8.7", "hostnames": ["x"]}],
    "dnsConfig": {"options": [{"name": "ndots", "value": "1"}]},
    "securityContext": {"runAsNonRoot": True, "fsGroup": 5, "sysctls": [{"name": "kernel.x", "value": "1"}]},
    "readinessGates": [{"conditionType": "example.com/x"}],
    "shareProcessNamespace": True,
    "terminationGracePeriodSeconds": 0,
    "activeDeadlineSeconds": 5,
    "setHostnameAsFQDN": False,
}


def of_kind(
    api_version: str, kind: str, *, name: str = "a", metadata: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    """Return an object."""
    meta = {**({"name": name} if name else {}), **(metadata or {})}
    return {"apiVersion": api_version, "kind": kind, "metadata": meta, **more}


def _named(body: dict[str, Any], name: str) -> dict[str, Any]:
    labels = {**body["metadata"].get("labels", {}), "of": "{ns}"}
    return {**body, "metadata": {**body["metadata"], "name": name, "labels": labels}}


def lifecycle(
    s: Script,
    path: str,
    minimal: dict[str, Any],
    *,
    full: dict[str, Any],
    status: dict[str, Any] | None = None,
    change: dict[str, Any] | None = None,
    puts_minimal: bool = True,
    puts_same: bool = True,
) -> None:
    """Make a minimal and a full object of a kind, read, change and delete them, and their status."""
    one, other = ("a", "b") if "{ns}" in path else ("{ns}-a", "{ns}-b")
    s.post(path, _named(minimal, one))
    made = s.post(path, _named({**minimal, **full}, other))
    s.get(f"{path}/{other}")
    if puts_same:
        s.put(f"{path}/{other}", made)
    if puts_minimal:
        s.put(f"{path}/{one}", _named(minimal, one))
        s.put(f"{path}/{one}", {**_named(minimal, one), "metadata": {"name": one, "annotations": {"x": "y"}}})
    s.patch(f"{path}/{other}", {"metadata": {"annotations": {"a": "b"}}, **(change or {})})
    if status is not None:
        s.patch(f"{path}/{other}/status", {"status": status, "metadata": {"annotations": {"by": "status"}}})
        s.put(f"{path}/{other}/status", made)
        s.patch(f"{path}/{other}", {"status": status})
    s.get(path, labelSelector="of={ns}")
    s.delete(f"{path}/{one}")
    s.delete(f"{path}/{other}")
