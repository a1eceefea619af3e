"""What quotas count, and what they refuse. There is no controller here: the cases write the status themselves."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

case = Cases("counting")
NS = "/api/v1/namespaces/{ns}"
QUOTAS = f"{NS}/resourcequotas"
MAPS = f"{NS}/configmaps"
PODS = f"{NS}/pods"


def _quota(
    s: Script, hard: dict[str, str], used: dict[str, str] | None = None, *, name: str = "q", **spec: Any
) -> None:
    """Write a quota and its status."""
    value = {"apiVersion": "v1", "kind": "ResourceQuota", "metadata": {"name": name}, "spec": {"hard": hard, **spec}}
    s.post(QUOTAS, value)
    s.patch(f"{QUOTAS}/{name}/status", {"status": {"hard": hard, "used": used or dict.fromkeys(hard, "0")}})


def _map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}}


def _account(s: Script) -> None:
    """Write the account without which there are no pods; before any quota, which might count it."""
    s.post(f"{NS}/serviceaccounts", {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "default"}})


def _taken_up(s: Script, path: str, body: dict[str, Any], *, holding: str = "exceeded quota") -> None:
    """Wait until the server has seen a quota that a body does not fit in."""
    s.until(path, method="POST", body=body, query={"dryRun": "All"}, status=403, holding=holding)


@case("objects")
def _(s: Script) -> None:
    _quota(s, {"configmaps": "2", "count/secrets": "1", "services.nodeports": "0"}, name="full")
    nodes = {"type": "NodePort", "ports": [{"port": 80}]}
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "a"}, "spec": nodes}
    _taken_up(s, f"{NS}/services", service)
    s.post(f"{NS}/services", service)
    s.post(MAPS, _map("a"), dryRun="All")
    for name in ("a", "b", "c"):
        s.post(MAPS, _map(name))
        s.get(f"{QUOTAS}/full")
    s.patch(f"{MAPS}/a", {"data": {"a": "b"}})
    s.post(f"{NS}/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "a"}})
    s.post(f"{NS}/secrets", {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "b"}})
    s.post(f"{NS}/events", {"apiVersion": "v1", "kind": "Event", "metadata": {"name": "a"}, "involvedObject": {}})
    s.get(f"{QUOTAS}/full")


@case("quotas whose status is not known")
def _(s: Script) -> None:
    value = {
        "apiVersion": "v1",
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"configmaps": "1"}},
    }
    s.post(QUOTAS, value)
    s.post(MAPS, _map("a"))
    s.patch(f"{QUOTAS}/q/status", {"status": {"hard": {"configmaps": "1", "count/configmaps": "5"}}})
    _taken_up(s, MAPS, _map("b"), holding="status unknown")
    s.post(MAPS, _map("b"))
    s.patch(f"{QUOTAS}/q/status", {"status": {"used": {"configmaps": "0", "count/configmaps": "0"}}})
    s.until(MAPS, method="POST", body=_map("b"), query={"dryRun": "All"}, status=201)
    s.post(MAPS, _map("b"))
    s.get(f"{QUOTAS}/q")


@case("custom resources and workloads")
def _(s: Script) -> None:
    _quota(s, {"count/leases.coordination.k8s.io": "1", "count/deployments.apps": "0"})
    lease = {"apiVersion": "coordination.k8s.io/v1", "kind": "Lease", "metadata": {"name": "a"}}
    path = "/apis/coordination.k8s.io/v1/namespaces/{ns}/leases"
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    deployment = {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "a"},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }
    _taken_up(s, "/apis/apps/v1/namespaces/{ns}/deployments", deployment)
    s.post("/apis/apps/v1/namespaces/{ns}/deployments", deployment)
    s.post(path, lease)
    s.post(path, {**lease, "metadata": {"name": "b"}})
    s.put(f"{path}/c", {**lease, "metadata": {"name": "c"}})
    s.get(f"{QUOTAS}/q")


def _pod(name: str, requests: dict[str, str] | None = None, limits: dict[str, str] | None = None, **spec: Any) -> Any:
    resources = {which: amounts for which, amounts in (("requests", requests), ("limits", limits)) if amounts}
    container = {"name": "c", "image": "i", "resources": resources}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": name},
        "spec": {"containers": [container], **spec},
    }


@case("pods")
def _(s: Script) -> None:
    _account(s)
    hard = {"pods": "3", "requests.cpu": "1", "limits.memory": "1Gi", "requests.example.com/gpu": "1"}
    _quota(s, {**hard, "count/pods": "5", "requests.ephemeral-storage": "1Gi"})
    some = {"cpu": "100m"}, {"memory": "300Mi"}
    _taken_up(s, PODS, _pod("x", {"cpu": "9"}, {"memory": "1"}))
    s.post(PODS, _pod("x"))
    s.post(PODS, _pod("x", {"cpu": "2"}, {"memory": "2Gi", "cpu": "3"}))
    s.post(PODS, _pod("a", *some))
    s.post(PODS, _pod("b", {"cpu": "900m"}, {"memory": "700Mi"}))
    s.post(PODS, _pod("b", {"cpu": "900m", "example.com/gpu": "1"}, {"memory": "500Mi", "example.com/gpu": "1"}))
    s.post(PODS, _pod("c", {"cpu": "1m", "example.com/gpu": "1"}, {"memory": "1", "example.com/gpu": "1"}))
    sidecar = {"name": "i", "image": "i", "restartPolicy": "Always", "resources": {"limits": {"memory": "100Mi"}}}
    s.post(PODS, _pod("c", {"cpu": "0"}, {"memory": "1Mi"}, initContainers=[sidecar]))
    s.get(f"{QUOTAS}/q")


@case("scopes of pods")
def _(s: Script) -> None:
    _account(s)
    _quota(s, {"pods": "0"}, name="best-effort", scopes=["BestEffort"])
    _quota(s, {"pods": "1"}, name="terminating", scopes=["Terminating"])
    classes = [{"scopeName": "PriorityClass", "operator": "In", "values": ["system-node-critical"]}]
    _quota(s, {"pods": "0"}, name="critical", scopeSelector={"matchExpressions": classes})
    _quota(s, {"pods": "0"}, name="crossing", scopes=["CrossNamespacePodAffinity"])
    asks = {"cpu": "1"}
    term = {"labelSelector": {}, "topologyKey": "a", "namespaces": ["other"]}
    affinity = {"podAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term]}}
    _taken_up(s, PODS, _pod("x", asks, affinity=affinity))
    _taken_up(s, PODS, _pod("x"))
    s.post(PODS, _pod("x"))
    s.post(PODS, _pod("x", asks, affinity=affinity))
    s.post(PODS, _pod("x", asks, priorityClassName="system-node-critical"))
    s.post(PODS, _pod("a", asks))
    s.post(PODS, _pod("b", asks, activeDeadlineSeconds=60))
    s.post(PODS, _pod("c", asks, activeDeadlineSeconds=60))
    s.patch(f"{PODS}/a", {"spec": {"activeDeadlineSeconds": 60}})
    for name in ("best-effort", "terminating", "critical", "crossing"):
        s.get(f"{QUOTAS}/{name}")


@case("claims and services")
def _(s: Script) -> None:
    gold = "gold.storageclass.storage.k8s.io/"
    hard = {"persistentvolumeclaims": "3", "requests.storage": "10Gi", f"{gold}requests.storage": "3Gi"}
    _quota(s, {**hard, f"{gold}persistentvolumeclaims": "1", "services": "3", "services.loadbalancers": "1"})

    def claim(name: str, size: str, kind: str = "silver") -> dict[str, Any]:
        spec = {
            "accessModes": ["ReadWriteOnce"],
            "storageClassName": kind,
            "resources": {"requests": {"storage": size}},
        }
        return {"apiVersion": "v1", "kind": "PersistentVolumeClaim", "metadata": {"name": name}, "spec": spec}

    def service(name: str, **spec: Any) -> dict[str, Any]:
        inside = {"ports": [{"port": 80}, {"name": "b", "port": 81}], **spec}
        inside["ports"][0]["name"] = "a"
        return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": inside}

    claims, services = f"{NS}/persistentvolumeclaims", f"{NS}/services"
    _taken_up(s, claims, claim("x", "20Gi"))
    s.post(claims, claim("x", "20Gi"))
    s.post(claims, claim("a", "2Gi", "gold"))
    s.post(claims, claim("b", "2Gi", "gold"))
    s.post(claims, claim("b", "1500m"))
    s.get(f"{QUOTAS}/q")
    s.post(services, service("a"))
    s.post(services, service("b", type="LoadBalancer"))
    s.post(services, service("c", type="LoadBalancer"))
    s.patch(f"{services}/a", {"spec": {"type": "LoadBalancer"}})
    s.get(f"{QUOTAS}/q")
