"""Strategic merge patches: lists with keys, directives, and what they may not say."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, SECRETS, SERVICES, config_map

case = Cases("strategic")

WEB: Final = f"{DEPLOYMENTS}/web"
A: Final = f"{CONFIG_MAPS}/a"
OWNER: Final = {"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "8f1e7c1e-0000-4000-8000-000000000000"}


def _container(name: str, **more: Any) -> dict[str, Any]:
    return {"name": name, "image": f"{name}:1", **more}


def _web(s: Script, *containers: dict[str, Any], **pod: Any) -> None:
    labels = {"app": "web"}
    pod_spec = {"containers": list(containers) or [_container("a"), _container("b")], **pod}
    template = {"metadata": {"labels": labels}, "spec": pod_spec}
    s.post(
        DEPLOYMENTS, {"metadata": {"name": "web"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    )


def _pod(**changes: Any) -> dict[str, Any]:
    return {"spec": {"template": {"spec": changes}}}


def _named(name: str, value: Any) -> dict[str, Any]:
    """A field whose name is no Python name."""
    return {name: value}


@case("a new container")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers=[_container("c")]), kind="strategic")


@case("one container of two")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers=[{"name": "b", "image": "b:2"}]), kind="strategic")
    s.patch(WEB, _pod(containers=[{"name": "a", "imagePullPolicy": None}]), kind="strategic")


@case("a container without its key")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers=[{"image": "x"}]), kind="strategic")


@case("a container goes")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers=[{"name": "a", "$patch": "delete"}]), kind="strategic")
    s.patch(WEB, _pod(containers=[{"name": "none", "$patch": "delete"}]), kind="strategic")
    s.patch(WEB, _pod(containers=[{"$patch": "delete"}]), kind="strategic")


@case("the list is replaced")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers=[{"$patch": "replace"}, _container("z")]), kind="strategic")


@case("an order")
def _(s: Script) -> None:
    _web(s)
    order = [{"name": "b"}, {"name": "a"}]
    s.patch(WEB, _pod(**_named("$setElementOrder/containers", order)), kind="strategic")
    s.patch(
        WEB,
        _pod(containers=[_container("c")], **_named("$setElementOrder/containers", [{"name": "c"}, *order])),
        kind="strategic",
    )


@case("an order that does not fit")
def _(s: Script) -> None:
    _web(s)
    s.patch(
        WEB,
        _pod(containers=[_container("c")], **_named("$setElementOrder/containers", [{"name": "a"}])),
        kind="strategic",
    )
    s.patch(WEB, _pod(**_named("$setElementOrder/containers", "a")), kind="strategic")
    s.patch(WEB, _pod(**_named("$setElementOrder/containers", [{"image": "a"}])), kind="strategic")


@case("lists with other keys")
def _(s: Script) -> None:
    ports = [{"containerPort": 80}, {"containerPort": 81, "name": "x"}]
    _web(
        s,
        _container("a", ports=ports, volumeMounts=[{"name": "v", "mountPath": "/v"}]),
        volumes=[{"name": "v", "emptyDir": {}}],
    )
    change = _container("a", ports=[{"containerPort": 81, "name": "y"}, {"containerPort": 82}])
    s.patch(WEB, _pod(containers=[change]), kind="strategic")
    gone = {"name": "a", "volumeMounts": [{"mountPath": "/v", "$patch": "delete"}]}
    s.patch(WEB, _pod(containers=[gone], volumes=[{"name": "v", "$patch": "delete"}]), kind="strategic")


@case("lists in lists")
def _(s: Script) -> None:
    _web(s, _container("a", env=[{"name": "X", "value": "1"}, {"name": "Y", "value": "2"}]))
    s.patch(WEB, _pod(containers=[{"name": "a", "env": [{"name": "Y", "value": "3"}]}]), kind="strategic")
    s.patch(WEB, _pod(containers=[{"name": "a", "env": [{"name": "X", "$patch": "delete"}]}]), kind="strategic")


@case("a list without keys")
def _(s: Script) -> None:
    _web(s, _container("a", args=["x", "y"], command=["c"]))
    s.patch(WEB, _pod(containers=[{"name": "a", "args": ["z"]}]), kind="strategic")


@case("a kind of volume gives way to another")
def _(s: Script) -> None:
    _web(s, volumes=[{"name": "v", "emptyDir": {}}])
    kept = {"name": "v", "configMap": {"name": "c"}, "$retainKeys": ["name", "configMap"]}
    s.patch(WEB, _pod(volumes=[kept]), kind="strategic")


@case("keys that are kept, and one that is not")
def _(s: Script) -> None:
    _web(s)
    recreate = {"spec": {"strategy": {"$retainKeys": ["type"], "type": "Recreate"}}}
    s.patch(WEB, recreate, kind="strategic")
    s.patch(WEB, {"spec": {"strategy": {"$retainKeys": ["type"], "rollingUpdate": None, "other": 1}}}, kind="strategic")
    s.patch(WEB, {"spec": {"strategy": {"$retainKeys": "type"}}}, kind="strategic")


@case("a list of texts")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/a", "example.com/b"]}))
    s.patch(A, {"metadata": {"finalizers": ["example.com/c", "example.com/a"]}}, kind="strategic")
    s.patch(A, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/a", "none"]}}, kind="strategic")
    order = ["example.com/c", "example.com/b"]
    s.patch(A, {"metadata": {"$setElementOrder/finalizers": order}}, kind="strategic")
    s.patch(A, {"metadata": {"finalizers": None}}, kind="strategic")


@case("a list of texts in ways that there are not")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/a"]}))
    s.patch(A, {"metadata": {"$deleteFromPrimitiveList/finalizers": "example.com/a"}}, kind="strategic")
    s.patch(A, {"metadata": {"$deleteFromPrimitiveList/labels": ["a"]}}, kind="strategic")
    s.patch(A, {"metadata": {"$deleteFromPrimitiveList": ["a"]}}, kind="strategic")


@case("maps")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", data={"a": "1", "b": "2"}))
    s.patch(A, {"data": {"a": None, "c": "3"}}, kind="strategic")
    s.patch(A, {"data": {"$patch": "replace", "d": "4"}}, kind="strategic")
    s.patch(A, {"data": {"$patch": "delete"}}, kind="strategic")
    s.patch(A, {"data": {"$patch": "merge", "e": "5"}}, kind="strategic")


@case("the whole object")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {"$patch": "replace", "data": {"x": "y"}}, kind="strategic")
    s.patch(A, {"$patch": "delete"}, kind="strategic")
    s.patch(A, {"$patch": "other"}, kind="strategic")
    s.patch(A, {"$patch": 1}, kind="strategic")


@case("the metadata as a whole")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"a": "b"}}))
    s.patch(A, {"metadata": {"$patch": "replace", "name": "a", "annotations": {"c": "d"}}}, kind="strategic")
    s.patch(A, {"metadata": None}, kind="strategic")


@case("owners by their uid")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"ownerReferences": [OWNER]}))
    s.patch(A, {"metadata": {"ownerReferences": [{"uid": OWNER["uid"], "name": "q"}]}}, kind="strategic")
    s.patch(A, {"metadata": {"ownerReferences": [{"name": "r"}]}}, kind="strategic")
    s.patch(A, {"metadata": {"ownerReferences": [{"uid": OWNER["uid"], "$patch": "delete"}]}}, kind="strategic")


@case("ports of a service by their number")
def _(s: Script) -> None:
    ports = [{"name": "a", "port": 80}, {"name": "b", "port": 81}]
    s.post(SERVICES, {"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": ports}})
    s.patch(f"{SERVICES}/s", {"spec": {"ports": [{"port": 81, "name": "c"}]}}, kind="strategic")
    s.patch(f"{SERVICES}/s", {"spec": {"ports": [{"port": 80, "$patch": "delete"}]}}, kind="strategic")


@case("a secret's data and texts")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "s"}, "data": {"a": "eA=="}})
    s.patch(f"{SECRETS}/s", {"stringData": {"b": "y"}}, kind="strategic")
    s.patch(f"{SECRETS}/s", {"data": {"a": "!!"}}, kind="strategic")
    s.patch(f"{SECRETS}/s", {"data": {"a": None}}, kind="strategic")


@case("a namespace")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}"
    s.patch(path, {"metadata": {"labels": {"x": "y"}}}, kind="strategic")
    s.patch(path, {"spec": {"finalizers": ["example.com/x"]}}, kind="strategic")
    s.patch(path, {"metadata": {"name": "other"}}, kind="strategic")


@case("lists where a map is, and the other way round")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, _pod(containers={"name": "a"}), kind="strategic")
    s.patch(WEB, {"spec": {"selector": []}}, kind="strategic")
    s.patch(WEB, {"spec": "x"}, kind="strategic")


@case("values of other types")
def _(s: Script) -> None:
    _web(s)
    s.patch(WEB, {"spec": {"replicas": "3"}}, kind="strategic")
    s.patch(WEB, {"spec": {"replicas": 1.5}}, kind="strategic")
    s.patch(WEB, _pod(containers=[{"name": "a", "image": 5}]), kind="strategic")
    s.patch(A, {"data": {"a": 1}}, kind="strategic")


@case("what is not there, and fields that there are not")
def _(s: Script) -> None:
    s.patch(f"{CONFIG_MAPS}/none", {"data": {}}, kind="strategic")
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {"dat": {"x": "y"}, "metadata": {"nonsense": 1}}, kind="strategic")
    s.patch(A, {"dat": 1}, kind="strategic", fieldValidation="Strict")
    s.patch(A, b'{"data":{"a":"1","a":"2"}}', kind="strategic", fieldValidation="Strict")


@case("nothing")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {}, kind="strategic")
    s.patch(A, {"data": {"a": "1"}}, kind="strategic")
    s.patch(A, b"null", kind="strategic")
    s.patch(A, b"[]", kind="strategic")
    s.patch(A, b"x", kind="strategic")


@case("a status by its conditions")
def _(s: Script) -> None:
    _web(s)
    path = f"{WEB}/status"
    condition = {"type": "Available", "status": "True", "lastUpdateTime": None, "lastTransitionTime": None}
    s.patch(path, {"status": {"conditions": [condition, {**condition, "type": "Progressing"}]}}, kind="strategic")
    s.patch(path, {"status": {"conditions": [{"type": "Available", "status": "False"}]}}, kind="strategic")
    s.patch(path, {"status": {"conditions": [{"type": "Progressing", "$patch": "delete"}]}}, kind="strategic")
