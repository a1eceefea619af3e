"""Tables of built-in kinds: the columns and cells that kubectl shows."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, LEASES, NAMESPACES, PODS, SECRETS, SERVICES, config_map

case = Cases("table")

TABLE: Final = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
LABELS: Final = {"app": "x"}
TEMPLATE: Final[dict[str, Any]] = {
    "metadata": {"labels": LABELS},
    "spec": {"containers": [{"name": "a", "image": "x"}]},
}


def _shown(s: Script, path: str, name: str, **more: Any) -> None:
    s.post(path, {"metadata": {"name": name}, **more})
    s.get(path, headers=TABLE, includeObject="None")
    s.get(f"{path}/{name}", headers=TABLE, includeObject="None")


@case("config maps and secrets")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", data={"x": "1", "y": "2"}))
    s.get(CONFIG_MAPS, headers=TABLE, includeObject="None")
    _shown(s, SECRETS, "s", stringData={"a": "b"})


@case("of nothing")
def _(s: Script) -> None:
    for path in (CONFIG_MAPS, PODS, DEPLOYMENTS, LEASES, "/api/v1/namespaces/{ns}/limitranges"):
        s.get(path, headers=TABLE)


@case("pods")
def _(s: Script) -> None:
    _shown(s, PODS, "p", spec={**TEMPLATE["spec"], "nodeName": "n1"})
    ready = {"name": "a", "ready": True, "restartCount": 3, "image": "x", "imageID": "", "state": {"running": {}}}
    s.patch(f"{PODS}/p/status", {"status": {"phase": "Running", "podIP": "10.0.0.9", "containerStatuses": [ready]}})
    s.get(PODS, headers=TABLE, includeObject="None")


@case("pods in trouble")
def _(s: Script) -> None:
    s.post(PODS, {"metadata": {"name": "p"}, "spec": {**TEMPLATE["spec"], "nodeName": "n1"}})
    waiting = {
        "name": "a",
        "ready": False,
        "restartCount": 1,
        "image": "x",
        "imageID": "",
        "state": {"waiting": {"reason": "CrashLoopBackOff"}},
    }
    s.patch(f"{PODS}/p/status", {"status": {"phase": "Running", "containerStatuses": [waiting]}})
    s.get(PODS, headers=TABLE, includeObject="None")
    s.delete(f"{PODS}/p")
    s.get(PODS, headers=TABLE, includeObject="None")


@case("workloads")
def _(s: Script) -> None:
    spec = {"selector": {"matchLabels": LABELS}, "template": TEMPLATE}
    _shown(s, DEPLOYMENTS, "d", spec={**spec, "replicas": 2})
    _shown(s, "/apis/apps/v1/namespaces/{ns}/replicasets", "r", spec=spec)
    _shown(s, "/apis/apps/v1/namespaces/{ns}/statefulsets", "s", spec={**spec, "serviceName": "x"})
    _shown(s, "/apis/apps/v1/namespaces/{ns}/daemonsets", "e", spec=spec)


@case("jobs")
def _(s: Script) -> None:
    job = {"template": {"spec": {**TEMPLATE["spec"], "restartPolicy": "Never"}}}
    _shown(s, "/apis/batch/v1/namespaces/{ns}/jobs", "j", spec=job)
    _shown(
        s, "/apis/batch/v1/namespaces/{ns}/cronjobs", "c", spec={"schedule": "* * * * *", "jobTemplate": {"spec": job}}
    )


@case("services")
def _(s: Script) -> None:
    _shown(
        s, SERVICES, "s", spec={"clusterIP": "None", "ports": [{"port": 80, "name": "a"}, {"port": 81, "name": "b"}]}
    )
    _shown(s, SERVICES, "e", spec={"type": "ExternalName", "externalName": "example.com"})


@case("namespaces and service accounts")
def _(s: Script) -> None:
    s.get(NAMESPACES, headers=TABLE, includeObject="None", fieldSelector="metadata.name={ns}")
    _shown(s, "/api/v1/namespaces/{ns}/serviceaccounts", "a")


@case("leases, policies and roles")
def _(s: Script) -> None:
    _shown(s, LEASES, "l", spec={"holderIdentity": "me"})
    _shown(
        s,
        "/apis/networking.k8s.io/v1/namespaces/{ns}/networkpolicies",
        "n",
        spec={"podSelector": {"matchLabels": LABELS}},
    )
    _shown(s, "/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles", "r")
    _shown(s, "/apis/policy/v1/namespaces/{ns}/poddisruptionbudgets", "b", spec={"minAvailable": "50%"})


@case("quotas and limits")
def _(s: Script) -> None:
    _shown(s, "/api/v1/namespaces/{ns}/resourcequotas", "q", spec={"hard": {"pods": "4", "cpu": "2"}})
    _shown(s, "/api/v1/namespaces/{ns}/limitranges", "l", spec={"limits": []})


@case("nodes")
def _(s: Script) -> None:
    path = "/api/v1/nodes"
    s.post(
        path,
        {"metadata": {"name": "{ns}-n", "labels": {"node-role.kubernetes.io/x": ""}}, "spec": {"unschedulable": True}},
    )
    s.get(f"{path}/{{ns}}-n", headers=TABLE, includeObject="None")
    s.delete(f"{path}/{{ns}}-n")


@case("what is included")
def _(s: Script) -> None:
    s.post(PODS, {"metadata": {"name": "p", "labels": LABELS}, "spec": TEMPLATE["spec"]})
    for included in ("Object", "Metadata", "None", "Nothing"):
        s.get(PODS, headers=TABLE, includeObject=included)


@case("of the version before")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    old = {"Accept": "application/json;as=Table;v=v1beta1;g=meta.k8s.io"}
    s.get(CONFIG_MAPS, headers=old)
    s.get(f"{CONFIG_MAPS}/a", headers=old, includeObject="Object")


@case("of what a write answers")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), headers=TABLE)
    s.patch(f"{CONFIG_MAPS}/a", {"data": {"b": "2"}}, headers=TABLE)
    s.apply(f"{CONFIG_MAPS}/b", config_map("b"), headers=TABLE)
    s.delete(f"{CONFIG_MAPS}/a", headers=TABLE)


@case("autoscalers, in both versions")
def _(s: Script) -> None:
    target = {"kind": "Deployment", "name": "d", "apiVersion": "apps/v1"}
    for version in ("v2", "v1"):
        path = f"/apis/autoscaling/{version}/namespaces/{{ns}}/horizontalpodautoscalers"
        _shown(s, path, f"h{version}", spec={"scaleTargetRef": target, "maxReplicas": 5})


@case("of what has none")
def _(s: Script) -> None:
    either = {"Accept": f"{TABLE['Accept']},application/json"}
    review = {"spec": {"nonResourceAttributes": {"path": "/", "verb": "get"}}}
    for accepted in (TABLE, either):
        s.post("/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", review, headers=accepted)
        s.post("/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", {"spec": {"namespace": "{ns}"}}, headers=TABLE)
    s.post("/apis/authentication.k8s.io/v1/tokenreviews", {"spec": {"token": "x"}}, headers=TABLE)
    for path in ("pods/p/ephemeralcontainers", "pods/p/resize", "pods/p/log", "pods/p/status"):
        s.get(f"/api/v1/namespaces/{{ns}}/{path}", headers=TABLE)
    s.post("/api/v1/namespaces/{ns}/serviceaccounts/none/token", {"spec": {}}, headers=TABLE)
    s.get("/apis/certificates.k8s.io/v1/certificatesigningrequests/none/approval", headers=TABLE)
    s.get("/apis/certificates.k8s.io/v1/certificatesigningrequests/none/status", headers=TABLE)
    s.get("/apis/apiextensions.k8s.io/v1/customresourcedefinitions/none/status", headers=TABLE)
    s.get("/apis/apiregistration.k8s.io/v1/apiservices/none/status", headers=TABLE)
    s.get("/apis/resource.k8s.io/v1/namespaces/{ns}/resourceclaims/none/status", headers=TABLE)
