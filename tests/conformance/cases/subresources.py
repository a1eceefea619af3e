"""Subresources of built-in kinds: status, scale, eviction, binding, finalize."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS

case = Cases("subresource")

WEB: Final = f"{DEPLOYMENTS}/web"
SCALE: Final = f"{WEB}/scale"
NODES: Final = "/api/v1/nodes"
TABLE: Final = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
LABELS: Final = {"app": "web"}


def _spec(**more: Any) -> dict[str, Any]:
    template = {"metadata": {"labels": LABELS}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
    return {"selector": {"matchLabels": LABELS}, "template": template, **more}


def _web(s: Script, **more: Any) -> None:
    s.post(DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": _spec(**more)})


def _pod(s: Script, name: str = "p", **spec: Any) -> None:
    body = {"metadata": {"name": name}, "spec": {"containers": [{"name": "a", "image": "x"}], **spec}}
    s.post(PODS, body)


def _scale(replicas: Any, **metadata: Any) -> dict[str, Any]:
    return {"metadata": {"name": "web", **metadata}, "spec": {"replicas": replicas}}


@case("status of a new object")
def _(s: Script) -> None:
    s.post(DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": _spec(), "status": {"replicas": 9}})
    s.get(f"{WEB}/status")


@case("status by the object itself")
def _(s: Script) -> None:
    _web(s)
    s.put(WEB, {"metadata": {"name": "web"}, "spec": _spec(), "status": {"replicas": 9}})
    s.patch(WEB, {"status": {"replicas": 9}})


@case("status replaced")
def _(s: Script) -> None:
    _web(s)
    s.put(f"{WEB}/status", {"metadata": {"name": "web"}, "spec": _spec(replicas=7), "status": {"replicas": 3}})
    s.get(WEB)


@case("status patched in each way")
def _(s: Script) -> None:
    _web(s)
    path = f"{WEB}/status"
    s.patch(path, {"status": {"replicas": 1}, "spec": {"replicas": 8}})
    s.patch(path, [{"op": "add", "path": "/status/readyReplicas", "value": 1}], kind="json")
    s.patch(path, {"status": {"observedGeneration": 1}}, kind="strategic")
    s.apply(
        path,
        {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "status": {"replicas": 2}},
        force="true",
    )


@case("status with other metadata")
def _(s: Script) -> None:
    _web(s)
    change = {"labels": {"a": "b"}, "annotations": {"c": "d"}, "finalizers": ["example.com/x"]}
    s.patch(f"{WEB}/status", {"metadata": change})
    s.patch(f"{WEB}/status", {"metadata": {"name": "other"}})


@case("status of what is not there")
def _(s: Script) -> None:
    s.get(f"{WEB}/status")
    s.put(f"{WEB}/status", {"metadata": {"name": "web"}, "spec": _spec()})
    s.patch(f"{WEB}/status", {"status": {}})


@case("status with an old version")
def _(s: Script) -> None:
    _web(s)
    s.put(
        f"{WEB}/status",
        {"metadata": {"name": "web", "resourceVersion": "1"}, "spec": _spec(), "status": {"replicas": 1}},
    )


@case("status with values of other types")
def _(s: Script) -> None:
    _web(s)
    wrong: tuple[Any, ...] = ({"replicas": "x"}, {"odd": 1}, [])
    for status in wrong:
        s.patch(f"{WEB}/status", {"status": status}, kind="strategic", fieldValidation="Strict")


@case("status of a kind that has none")
def _(s: Script) -> None:
    s.get(f"{CONFIG_MAPS}/a/status")
    s.patch("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/roles/a/status", {})


@case("status of a namespace")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}/status"
    s.get(path)
    s.patch(path, {"status": {"phase": "Terminating"}})
    s.patch(path, {"metadata": {"labels": {"x": "y"}}, "spec": {"finalizers": []}})


@case("status of a node")
def _(s: Script) -> None:
    s.post(NODES, {"metadata": {"name": "{ns}-n"}, "spec": {"podCIDR": "10.9.0.0/24"}})
    path = f"{NODES}/{{ns}}-n/status"
    s.patch(path, {"status": {"capacity": {"cpu": "2", "memory": "1Gi"}}}, kind="strategic")
    s.patch(path, {"status": {"capacity": {"cpu": "x"}}}, kind="strategic")
    s.delete(f"{NODES}/{{ns}}-n")


@case("scale read")
def _(s: Script) -> None:
    _web(s, replicas=3)
    s.get(SCALE)
    s.get(SCALE, headers=TABLE)
    s.get(SCALE, headers={"Accept": "application/yaml"})
    s.get(f"{DEPLOYMENTS}/none/scale")


@case("scale replaced")
def _(s: Script) -> None:
    _web(s)
    for replicas in (3, 0, -1, "x", 2**31, None):
        s.put(SCALE, _scale(replicas))
    s.get(WEB)


@case("scale with other metadata")
def _(s: Script) -> None:
    _web(s)
    s.put(SCALE, _scale(2, resourceVersion="1"))
    s.put(SCALE, _scale(2, resourceVersion="x"))
    s.put(SCALE, _scale(2, uid="8f1e7c1e-0000-4000-8000-000000000000"))
    s.put(SCALE, {"metadata": {"name": "other"}, "spec": {"replicas": 2}})
    s.put(SCALE, {"spec": {"replicas": 2}})
    s.put(SCALE, _scale(2, labels={"a": "b"}))


@case("scale of another type")
def _(s: Script) -> None:
    _web(s)
    s.put(SCALE, {"kind": "Scale", "apiVersion": "autoscaling/v1", **_scale(2)})
    s.put(SCALE, {"kind": "Scale", "apiVersion": "autoscaling/v2", **_scale(2)})
    s.put(SCALE, {"kind": "Deployment", "apiVersion": "apps/v1", **_scale(3)})
    s.put(SCALE, {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "web"}})


@case("scale patched")
def _(s: Script) -> None:
    _web(s)
    s.patch(SCALE, {"spec": {"replicas": 4}})
    s.patch(SCALE, [{"op": "replace", "path": "/spec/replicas", "value": 5}], kind="json")
    s.patch(SCALE, {"spec": {"replicas": 6}}, kind="strategic")
    s.patch(SCALE, {"spec": {"replicas": None}})
    s.patch(SCALE, {"spec": {"replicas": -2}})
    s.patch(SCALE, {"spec": {"other": 1}}, kind="strategic", fieldValidation="Strict")
    s.patch(SCALE, {"status": {"replicas": 9}})


@case("scale of other kinds")
def _(s: Script) -> None:
    sets = "/apis/apps/v1/namespaces/{ns}/replicasets"
    s.post(sets, {"metadata": {"name": "web"}, "spec": _spec(replicas=1)})
    s.patch(f"{sets}/web/scale", {"spec": {"replicas": 2}})
    controllers = "/api/v1/namespaces/{ns}/replicationcontrollers"
    template = _spec()["template"]
    s.post(controllers, {"metadata": {"name": "web"}, "spec": {"selector": LABELS, "template": template}})
    s.get(f"{controllers}/web/scale")
    s.patch(f"{controllers}/web/scale", {"spec": {"replicas": 2}})
    stateful = "/apis/apps/v1/namespaces/{ns}/statefulsets"
    s.post(stateful, {"metadata": {"name": "web"}, "spec": _spec(serviceName="x")})
    s.put(f"{stateful}/web/scale", _scale(4))


@case("eviction")
def _(s: Script) -> None:
    _pod(s)
    s.post(f"{PODS}/p/eviction", {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": "p"}})
    s.get(f"{PODS}/p")


@case("eviction that is only tried")
def _(s: Script) -> None:
    _pod(s)
    s.post(f"{PODS}/p/eviction", {"metadata": {"name": "p"}}, dryRun="All")
    s.post(f"{PODS}/p/eviction", {"metadata": {"name": "p"}, "deleteOptions": {"dryRun": ["All"]}})
    s.get(f"{PODS}/p")


@case("eviction of another pod than the path's, and of none")
def _(s: Script) -> None:
    _pod(s)
    s.post(f"{PODS}/p/eviction", {"metadata": {"name": "q"}})
    s.post(f"{PODS}/p/eviction", {"metadata": {}})
    s.post(f"{PODS}/none/eviction", {"metadata": {"name": "none"}})
    s.post(f"{PODS}/p/eviction", {"kind": "Pod", "apiVersion": "v1", "metadata": {"name": "p"}})


@case("binding")
def _(s: Script) -> None:
    _pod(s)
    target = {"kind": "Node", "name": "n1"}
    s.post(f"{PODS}/p/binding", {"metadata": {"name": "p", "annotations": {"a": "b"}}, "target": target})
    s.get(f"{PODS}/p")
    s.post(f"{PODS}/p/binding", {"metadata": {"name": "p"}, "target": target})


@case("binding by the old collection")
def _(s: Script) -> None:
    _pod(s)
    s.post("/api/v1/namespaces/{ns}/bindings", {"metadata": {"name": "p"}, "target": {"name": "n2"}})
    s.get(f"{PODS}/p")
    s.post("/api/v1/namespaces/{ns}/bindings", {"metadata": {"name": "none"}, "target": {"name": "n2"}})


@case("binding that lacks something")
def _(s: Script) -> None:
    _pod(s)
    s.post(f"{PODS}/p/binding", {"metadata": {"name": "p"}})
    s.post(f"{PODS}/p/binding", {"metadata": {"name": "q"}, "target": {"name": "n"}})
    s.post(f"{PODS}/p/binding", {"metadata": {"name": "p"}, "target": {"kind": "Pod", "name": "n"}})
    s.post(f"{PODS}/none/binding", {"metadata": {"name": "none"}, "target": {"name": "n"}})


@case("finalize of a namespace")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}/finalize"
    s.put(path, {"metadata": {"name": "{ns}"}, "spec": {"finalizers": ["kubernetes", "example.com/x"]}})
    s.put(path, {"metadata": {"name": "{ns}"}, "spec": {"finalizers": ["plain"]}})
    s.put(path, {"metadata": {"name": "other"}, "spec": {}})
    s.put(path, {"metadata": {"name": "{ns}"}, "spec": {}})
    s.get(f"{NAMESPACES}/{{ns}}")
    s.put(f"{NAMESPACES}/none/finalize", {"metadata": {"name": "none"}, "spec": {}})


@case("ephemeral containers of a pod")
def _(s: Script) -> None:
    _pod(s)
    path = f"{PODS}/p/ephemeralcontainers"
    s.get(path)
    s.get(f"{PODS}/none/ephemeralcontainers")
