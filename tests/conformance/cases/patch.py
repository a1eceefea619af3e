"""Patches of four kinds."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, config_map, crd, custom, custom_path

case = Cases("patch")
A = f"{CONFIG_MAPS}/a"


@case("by merge")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {"data": {"b": "2"}})
    s.patch(A, {"data": {"a": None}})
    s.patch(A, {"data": None, "metadata": {"labels": {"x": "y"}}})
    s.patch(A, {"data": None})
    s.patch(A, b"{")
    s.patch(A, b"[]")
    s.patch(A, {"data": {"a": 1}})
    s.patch(A, {"metadata": {"name": "b"}})
    s.patch(A, {"metadata": {"resourceVersion": "1"}})
    s.patch(A, {"metadata": {"uid": "8f1e7c1e-0000-4000-8000-000000000000"}})
    s.patch(f"{CONFIG_MAPS}/none", {"data": {}})


@case("by JSON patch")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, [{"op": "add", "path": "/data/b", "value": "2"}], kind="json")
    s.patch(A, [{"op": "test", "path": "/data/b", "value": "3"}], kind="json")
    s.patch(A, [{"op": "remove", "path": "/data/none"}], kind="json")
    s.patch(A, [{"op": "replace", "path": "/data/a", "value": "9"}, {"op": "remove", "path": "/data/b"}], kind="json")
    s.patch(A, [{"op": "move", "from": "/data/a", "path": "/data/c"}], kind="json")
    s.patch(A, [{"op": "copy", "from": "/data/c", "path": "/data/d"}], kind="json")
    s.patch(A, [{"op": "dance", "path": "/data/a"}], kind="json")
    s.patch(A, {"op": "add"}, kind="json")
    s.patch(A, [], kind="json")


@case("by strategic merge")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {"data": {"b": "2"}}, kind="strategic")
    s.patch(A, {"data": {"$patch": "replace", "c": "3"}}, kind="strategic")
    s.patch(A, {"metadata": {"finalizers": ["example.com/x"]}}, kind="strategic")
    s.patch(A, {"metadata": {"$deleteFromPrimitiveList/finalizers": ["example.com/x"]}}, kind="strategic")


@case("a custom resource")
def _(s: Script) -> None:
    s.define(crd("patchables"))
    path = custom_path("patchables")
    s.post(path, custom("patchables", "a", spec={"x": [1, 2]}))
    s.patch(f"{path}/a", {"spec": {"y": 1}}, kind="strategic")
    s.patch(f"{path}/a", {"spec": {"y": 1}})
    s.patch(f"{path}/a", [{"op": "add", "path": "/spec/x/-", "value": 3}], kind="json")
    s.patch(f"{path}/a", {"spec": {"y": 1}}, headers={"Content-Type": "application/json"})


@case("a deployment's containers")
def _(s: Script) -> None:
    containers = [{"name": "a", "image": "x"}, {"name": "b", "image": "y"}]
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": containers}}
    spec = {"selector": {"matchLabels": labels}, "template": template}
    s.post(DEPLOYMENTS, {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "web"}, "spec": spec})
    web = f"{DEPLOYMENTS}/web"
    s.patch(web, {"spec": {"template": {"spec": {"containers": [{"name": "b", "image": "z"}]}}}}, kind="strategic")
    gone = [{"name": "a", "$patch": "delete"}]
    s.patch(web, {"spec": {"template": {"spec": {"containers": gone}}}}, kind="strategic")
