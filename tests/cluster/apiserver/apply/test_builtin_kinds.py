"""Built-in kinds: created on the real server and given to ours as it has them, they must have the same owners."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from konverge.cluster.apiserver.apply.builtin import builtin_field_manager
from konverge.cluster.apiserver.apply.openapi_types import OpenApiTypes

POD: dict[str, Any] = {
    "containers": [
        {
            "name": "a",
            "image": "i",
            "ports": [{"containerPort": 80}],
            "env": [{"name": "A", "valueFrom": {"fieldRef": {"fieldPath": "metadata.name"}}}],
            "resources": {"limits": {"cpu": 1}},
            "readinessProbe": {"httpGet": {"port": "http"}},
            "securityContext": {"capabilities": {"drop": ["ALL"]}},
            "volumeMounts": [{"name": "v", "mountPath": "/v"}],
        }
    ],
    "volumes": [{"name": "v", "configMap": {"name": "c", "items": [{"key": "k", "path": "p"}]}}],
    "topologySpreadConstraints": [{"maxSkew": 1, "topologyKey": "z", "whenUnsatisfiable": "ScheduleAnyway"}],
}
TEMPLATE = {"metadata": {"labels": {"a": "b"}}, "spec": POD}
SELECTOR = {"matchLabels": {"a": "b"}}
RULES = [{"apiGroups": ["apps"], "resources": ["deployments"], "verbs": ["get"]}]
BACKEND = {"service": {"name": "s", "port": {"number": 80}}}
TARGET = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
MATCH = {"resourceRules": [{"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["pods"]}]}
HOOK = {
    "name": "w.konverge.dev",
    "clientConfig": {"url": "https://127.0.0.1/"},
    "sideEffects": "None",
    "admissionReviewVersions": ["v1"],
    "failurePolicy": "Ignore",
    "rules": [{"apiGroups": ["none"], "apiVersions": ["v1"], "operations": ["CREATE"], "resources": ["none"]}],
}
CORE = "api.core"
JOB = {"template": {"spec": {**POD, "restartPolicy": "Never"}}}
# The group's name in OpenAPI, the version, the kind, its plural, and what an author says of it.
KINDS: list[tuple[str, str, str, str, dict[str, Any]]] = [
    (CORE, "v1", "ConfigMap", "configmaps", {"data": {"a": "b"}, "binaryData": {"c": "AA=="}, "immutable": False}),
    (CORE, "v1", "Secret", "secrets", {"stringData": {"a": "b"}}),
    (CORE, "v1", "Pod", "pods", {"spec": {**POD, "automountServiceAccountToken": False}}),
    (CORE, "v1", "Service", "services", {"spec": {"selector": {"a": "b"}, "ports": [{"port": 80, "name": "h"}]}}),
    (CORE, "v1", "ServiceAccount", "serviceaccounts", {"imagePullSecrets": [{"name": "s"}]}),
    (CORE, "v1", "ReplicationController", "replicationcontrollers", {"spec": {"template": TEMPLATE}}),
    (CORE, "v1", "LimitRange", "limitranges", {"spec": {"limits": [{"type": "Pod", "max": {"cpu": "1"}}]}}),
    (
        CORE,
        "v1",
        "ResourceQuota",
        "resourcequotas",
        {"spec": {"hard": {"pods": "4"}}, "status": {"hard": {"pods": "4"}}},
    ),
    (CORE, "v1", "PodTemplate", "podtemplates", {"template": TEMPLATE}),
    (
        CORE,
        "v1",
        "PersistentVolumeClaim",
        "persistentvolumeclaims",
        {"spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}},
    ),
    (CORE, "v1", "Event", "events", {"involvedObject": {"kind": "Pod", "namespace": "default"}, "reason": "R"}),
    (CORE, "v1", "Namespace", "namespaces", {}),
    (CORE, "v1", "Node", "nodes", {"spec": {"taints": [{"key": "k", "effect": "NoSchedule"}]}}),
    ("api.apps", "v1", "DaemonSet", "daemonsets", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("api.apps", "v1", "ReplicaSet", "replicasets", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("api.apps", "v1", "StatefulSet", "statefulsets", {"spec": {"selector": SELECTOR, "template": TEMPLATE}}),
    ("api.apps", "v1", "ControllerRevision", "controllerrevisions", {"data": {"a": {"b": 1}}, "revision": 1}),
    ("api.batch", "v1", "Job", "jobs", {"spec": JOB}),
    ("api.batch", "v1", "CronJob", "cronjobs", {"spec": {"schedule": "* * * * *", "jobTemplate": {"spec": JOB}}}),
    ("api.networking", "v1", "Ingress", "ingresses", {"spec": {"defaultBackend": BACKEND}}),
    ("api.networking", "v1", "IngressClass", "ingressclasses", {"spec": {"controller": "a.b/c"}}),
    ("api.networking", "v1", "NetworkPolicy", "networkpolicies", {"spec": {"podSelector": SELECTOR, "egress": [{}]}}),
    ("api.policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", {"spec": {"minAvailable": "50%"}}),
    ("api.coordination", "v1", "Lease", "leases", {"spec": {"holderIdentity": "me", "renewTime": None}}),
    (
        "api.discovery",
        "v1",
        "EndpointSlice",
        "endpointslices",
        {"addressType": "IPv4", "endpoints": [{"addresses": ["10.1.2.3"]}], "ports": [{"port": 80}]},
    ),
    (
        "api.autoscaling",
        "v2",
        "HorizontalPodAutoscaler",
        "horizontalpodautoscalers",
        {"spec": {"maxReplicas": 2, "scaleTargetRef": TARGET}},
    ),
    ("api.rbac", "v1", "Role", "roles", {"rules": RULES}),
    ("api.rbac", "v1", "ClusterRole", "clusterroles", {"rules": RULES}),
    (
        "api.rbac",
        "v1",
        "RoleBinding",
        "rolebindings",
        {
            "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "r"},
            "subjects": [{"kind": "User", "name": "u"}],
        },
    ),
    ("api.storage", "v1", "StorageClass", "storageclasses", {"provisioner": "a/b", "parameters": {"a": "b"}}),
    ("api.storage", "v1", "CSIDriver", "csidrivers", {"spec": {"attachRequired": False}}),
    ("api.scheduling", "v1", "PriorityClass", "priorityclasses", {"value": 5}),
    ("api.node", "v1", "RuntimeClass", "runtimeclasses", {"handler": "h"}),
    (
        "api.admissionregistration",
        "v1",
        "ValidatingWebhookConfiguration",
        "validatingwebhookconfigurations",
        {"webhooks": [HOOK]},
    ),
    (
        "api.admissionregistration",
        "v1",
        "ValidatingAdmissionPolicy",
        "validatingadmissionpolicies",
        {"spec": {"matchConstraints": MATCH, "validations": [{"expression": "true"}]}},
    ),
]
# What the server fills in after the managedFields of a create were made: admission, allocation, preparation.
LATER = {
    "Pod": [
        "spec.serviceAccount",
        "spec.serviceAccountName",
        "spec.priority",
        "spec.preemptionPolicy",
        "spec.tolerations",
    ],
    "Service": ["spec.clusterIP", "spec.clusterIPs", "spec.ipFamilies", "spec.ipFamilyPolicy"],
    "Namespace": ["spec.finalizers"],
    "Job": ["metadata.labels", "spec.selector", "spec.template.metadata.labels"],
    "PersistentVolumeClaim": ["metadata.finalizers"],
}
GROUPS = {
    "api.networking": "networking.k8s.io",
    "api.coordination": "coordination.k8s.io",
    "api.discovery": "discovery.k8s.io",
    "api.rbac": "rbac.authorization.k8s.io",
    "api.storage": "storage.k8s.io",
    "api.scheduling": "scheduling.k8s.io",
    "api.node": "node.k8s.io",
    "api.admissionregistration": "admissionregistration.k8s.io",
}
CLUSTER_WIDE = {"Namespace", "Node", "IngressClass", "ClusterRole", "StorageClass", "CSIDriver", "PriorityClass"} | {
    "RuntimeClass",
    "ValidatingWebhookConfiguration",
    "ValidatingAdmissionPolicy",
}


@pytest.mark.parametrize("sample", KINDS, ids=[kind[2] for kind in KINDS])
def test_a_created_object(
    real: Any, life: Callable[..., Any], sample: tuple[str, str, str, str, dict[str, Any]]
) -> None:
    """Its author owns what they said and what was defaulted for them, and an update by another what it changes."""
    package, version, kind, plural, said = sample
    group = "" if package == CORE else GROUPS.get(package, package.removeprefix("api."))
    api_version = f"{group}/{version}" if group else version
    root = f"/apis/{api_version}" if group else "/api/v1"
    components = real.send("GET", f"/openapi/v3{root}", None).body["components"]["schemas"]
    component = f"io.k8s.{package}.{version}.{kind}"
    fields = builtin_field_manager(
        kind, api_version, types=OpenApiTypes(components), components={api_version: component}
    )
    name = "built-in"
    path = f"{root}/{plural}" if kind in CLUSTER_WIDE else f"{root}/namespaces/default/{plural}"
    one = life(0, path=path, name=name)
    body = {"apiVersion": api_version, "kind": kind, "metadata": {"name": name}, **said}
    try:
        compare(one, fields, body)
    finally:
        real.send("DELETE", f"{path}/{name}", {"gracePeriodSeconds": 0})


def compare(one: Any, fields: Any, body: dict[str, Any]) -> None:
    """Create an object, and label it as another manager."""
    created = one.send("POST", "fieldManager=author", body)
    assert created.code == 201, one.last()
    new = copy.deepcopy(created.body)
    for path in ("metadata.managedFields", *LATER.get(body["kind"], ())):
        drop(new, path.split("."))
    one.check_update(fields, created.body, new, manager="author")
    if body["kind"] == "ControllerRevision":  # its data cannot be patched: the real server finds it changed by that
        return
    one.live = one.real.send("GET", f"{one.path}/{one.name}", None).body
    patch = {"metadata": {"labels": {"x": "y"}}}
    labelled = one.send("PATCH", "fieldManager=other", patch, "application/merge-patch+json")
    new = copy.deepcopy(labelled.body)
    del new["metadata"]["managedFields"]
    one.check_update(fields, labelled.body, new, manager="other")


def drop(value: Any, path: list[str]) -> None:
    """Remove a part of an object."""
    *above, last = path
    for name in above:
        value = value[name]
    value.pop(last, None)
