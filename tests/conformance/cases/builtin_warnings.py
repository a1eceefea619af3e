"""What the server tells an author though it accepts the object."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.builtin_objects import LABELS, POD, SELECTOR, of_kind

case = Cases("warning")
V1 = "/api/v1/namespaces/{ns}"
_TERM: dict[str, Any] = {"topologyKey": "z"}
_POD: dict[str, Any] = {
    "containers": [
        {
            "name": "a",
            "image": "i:1",
            "env": [{"name": "A", "value": "1"}, {"name": "A", "value": "2"}, {"name": "A", "value": "x$(A)"}],
            "ports": [
                {"containerPort": 80, "name": "p"},
                {"containerPort": 80, "hostPort": 80},
                {"containerPort": 80},
            ],
            "resources": {"limits": {"memory": "100m"}},
        },
        {"name": "b", "image": "i:1", "ports": [{"containerPort": 81, "name": "p"}]},
    ],
    "nodeSelector": {"beta.kubernetes.io/os": "linux"},
    "affinity": {
        "podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [_TERM]},
        "podAntiAffinity": {
            "preferredDuringSchedulingIgnoredDuringExecution": [{"weight": 1, "podAffinityTerm": _TERM}]
        },
        "nodeAffinity": {
            "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{"matchExpressions": [{"key": "beta.kubernetes.io/arch", "operator": "Exists"}]}]
            }
        },
    },
    "topologySpreadConstraints": [
        {
            "maxSkew": 1,
            "topologyKey": "failure-domain.beta.kubernetes.io/zone",
            "whenUnsatisfiable": "ScheduleAnyway",
        }
    ],
    "hostAliases": [{"ip": "10.9.8.7", "hostnames": ["x"]}, {"ip": "10.9.8.7", "hostnames": ["y"]}],
    "imagePullSecrets": [{"name": "s"}, {"name": "s"}, {}],
    "volumes": [
        {"name": "g", "glusterfs": {"endpoints": "e", "path": "p"}},
        {"name": "s", "storageos": {"volumeName": "v"}},
        {"name": "c", "configMap": {"name": "x", "items": [{"key": "a", "path": "p"}, {"key": "b", "path": "p/q"}]}},
        {
            "name": "p",
            "projected": {
                "sources": [
                    {"secret": {"name": "x", "items": [{"key": "a", "path": "t"}]}},
                    {"serviceAccountToken": {"path": "t"}},
                ]
            },
        },
    ],
    "dnsConfig": {"nameservers": ["2001:DB8::1"]},
    "automountServiceAccountToken": False,
}
_OLD = {"annotations": {"scheduler.alpha.kubernetes.io/critical-pod": ""}}


@case("of pods")
def _(s: Script) -> None:
    s.post(f"{V1}/pods", of_kind("v1", "Pod", metadata=_OLD, spec=_POD))
    s.post(f"{V1}/pods", of_kind("v1", "Pod", name="dotted.name", spec=POD))
    s.patch(f"{V1}/pods/a", {"metadata": {"labels": {"a": "b"}}})


@case("of templates")
def _(s: Script) -> None:
    path = "/apis/apps/v1/namespaces/{ns}/deployments"
    template = {"metadata": {"labels": LABELS, **_OLD}, "spec": _POD}
    deployment = of_kind("apps/v1", "Deployment", name="a.b", spec={"selector": SELECTOR, "template": template})
    s.post(path, deployment)
    s.patch(f"{path}/a.b", {"metadata": {"labels": {"a": "b"}}})
    s.patch(f"{path}/a.b", {"spec": {"replicas": 3}})
    s.post(f"{V1}/podtemplates", of_kind("v1", "PodTemplate", template=template))
    job = {"template": {"spec": {**_POD, "restartPolicy": "Never"}}}
    s.post("/apis/batch/v1/namespaces/{ns}/jobs", of_kind("batch/v1", "Job", spec=job))
    cron = {"schedule": "@daily", "jobTemplate": {"spec": job}}
    s.post("/apis/batch/v1/namespaces/{ns}/cronjobs", of_kind("batch/v1", "CronJob", spec=cron))


@case("of services")
def _(s: Script) -> None:
    ports = [{"port": 80}]
    services: dict[str, dict[str, Any]] = {
        "outside": {"externalIPs": ["192.0.2.7"]},
        "headless": {"clusterIP": "None", "externalIPs": ["192.0.2.7"], "sessionAffinity": "ClientIP"},
        "named": {"externalName": "example.com"},
        "close": {"trafficDistribution": "PreferClose"},
    }
    for name, spec in services.items():
        s.post(f"{V1}/services", of_kind("v1", "Service", name=name, spec={"ports": ports, **spec}))


@case("of small kinds")
def _(s: Script) -> None:
    marked = {"annotations": {"kubernetes.io/enforce-mountable-secrets": "true"}}
    s.post(f"{V1}/serviceaccounts", of_kind("v1", "ServiceAccount", metadata=marked))
    s.patch(f"{V1}/serviceaccounts/a", {"metadata": {"labels": {"a": "b"}}})
    backend = {"service": {"name": "s", "port": {"number": 80}}}
    old = {"annotations": {"kubernetes.io/ingress.class": "x"}}
    ingress = of_kind("networking.k8s.io/v1", "Ingress", metadata=old, spec={"defaultBackend": backend})
    s.post("/apis/networking.k8s.io/v1/namespaces/{ns}/ingresses", ingress)
    spec = {"capacity": {"storage": "1Gi"}, "accessModes": ["ReadWriteOnce"], "hostPath": {"path": "/tmp/x"}}
    recycled = {**spec, "persistentVolumeReclaimPolicy": "Recycle"}
    s.post("/api/v1/persistentvolumes", of_kind("v1", "PersistentVolume", name="{ns}-v", spec=recycled))
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1500m"}}}
    s.post(f"{V1}/persistentvolumeclaims", of_kind("v1", "PersistentVolumeClaim", spec=claim))
