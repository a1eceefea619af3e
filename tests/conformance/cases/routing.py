"""Paths: what is not there, what takes no such method, and the ways to name the same."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS, config_map

case = Cases("path")


@case("of a resource that is none")
def _(s: Script) -> None:
    s.get("/api/v1/foos")
    s.get("/apis/apps/v1/foos")
    s.get("/api/v1/namespaces/{ns}/foos")
    s.get("/api/v1/namespaces/{ns}/foos/a")
    s.delete("/api/v1/namespaces/{ns}/foos/a")
    s.patch("/api/v1/namespaces/{ns}/foos/a", {})


@case("of a subresource that is none")
def _(s: Script) -> None:
    s.get(f"{CONFIG_MAPS}/a/nope")
    s.get(f"{CONFIG_MAPS}/a/status")
    s.put(f"{CONFIG_MAPS}/a/scale", {})
    s.get(f"{DEPLOYMENTS}/a/eviction")
    s.patch(f"{NAMESPACES}/{{ns}}/scale", {})


@case("below a subresource")
def _(s: Script) -> None:
    s.get(f"{DEPLOYMENTS}/a/status/more")
    s.get(f"{DEPLOYMENTS}/a/scale/more")
    s.get(f"{CONFIG_MAPS}/a/b/c/d")


@case("of a namespaced object without its namespace")
def _(s: Script) -> None:
    s.get("/api/v1/configmaps/a")
    s.delete("/api/v1/configmaps/a")
    s.put("/apis/apps/v1/deployments/a", {})
    s.post("/apis/apps/v1/deployments", {})


@case("of an object of the whole cluster in a namespace")
def _(s: Script) -> None:
    s.get("/api/v1/namespaces/{ns}/nodes")
    s.get("/api/v1/namespaces/{ns}/nodes/a")
    s.get("/apis/rbac.authorization.k8s.io/v1/namespaces/{ns}/clusterroles")
    s.post("/api/v1/namespaces/{ns}/persistentvolumes", {})


@case("with a slash at its end")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.get(f"{CONFIG_MAPS}/")
    s.get(f"{CONFIG_MAPS}/a/")
    s.put(f"{CONFIG_MAPS}/a/", config_map("a", data={"b": "2"}))
    s.post(f"{CONFIG_MAPS}/", config_map("b"))
    s.delete(f"{CONFIG_MAPS}/a/")


@case("with slashes in its middle")
def _(s: Script) -> None:
    s.get("/api/v1//namespaces/{ns}/configmaps")
    s.get("/api//v1/namespaces")
    s.get("//api/v1/namespaces/{ns}")
    s.get("/api/v1/namespaces/{ns}/configmaps//a")


@case("with escapes")
def _(s: Script) -> None:
    s.get(f"{CONFIG_MAPS}/a%20b")
    s.get(f"{CONFIG_MAPS}/a%2Fb")
    s.get("/api/v1/namespaces/{ns}/config%6Daps")
    s.get(f"{CONFIG_MAPS}/%61")


@case("of a name that no object can have")
def _(s: Script) -> None:
    s.get(f"{CONFIG_MAPS}/Upper_Case")
    s.get(f"{CONFIG_MAPS}/{'x' * 300}")
    s.delete(f"{PODS}/a..b")
    s.patch(f"{CONFIG_MAPS}/a:b", {})


@case("of a collection, by methods that it lacks")
def _(s: Script) -> None:
    s.put(CONFIG_MAPS, config_map("a"))
    s.patch(CONFIG_MAPS, {})
    s.ask("OPTIONS", CONFIG_MAPS)
    s.ask("BREW", CONFIG_MAPS)


@case("of an object, by methods that it lacks")
def _(s: Script) -> None:
    s.post(f"{CONFIG_MAPS}/a", config_map("a"))
    s.ask("OPTIONS", f"{CONFIG_MAPS}/a")
    s.ask("BREW", f"{CONFIG_MAPS}/a")


@case("of a subresource, by methods that it lacks")
def _(s: Script) -> None:
    s.post(f"{DEPLOYMENTS}/a/status", {})
    s.delete(f"{DEPLOYMENTS}/a/status")
    s.delete(f"{DEPLOYMENTS}/a/scale")
    s.get(f"{PODS}/a/eviction")
    s.get(f"{PODS}/a/binding")
    s.put(f"{PODS}/a/eviction", {})
    s.get(f"{NAMESPACES}/{{ns}}/finalize")


@case("of bindings, which say themselves whom they are for")
def _(s: Script) -> None:
    for binding in (
        {},
        {"target": {"name": "n"}},
        {"metadata": {"name": "a"}},
        {"metadata": {"name": "a"}, "target": {"name": "n"}},
    ):
        s.post("/api/v1/namespaces/{ns}/bindings", binding)
        s.post(f"{PODS}/a/binding", binding)


@case("of a kind that is only created")
def _(s: Script) -> None:
    for path in (
        "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews",
        "/apis/authentication.k8s.io/v1/tokenreviews",
        "/api/v1/namespaces/{ns}/bindings",
    ):
        s.get(path)
        s.get(f"{path}/a")
        s.delete(path)


@case("of all namespaces, by methods that write")
def _(s: Script) -> None:
    s.post("/api/v1/configmaps", config_map("a"))
    s.put("/api/v1/configmaps", config_map("a"))
    s.delete("/apis/apps/v1/deployments")
    s.patch("/api/v1/pods", {})


@case("of kinds that are never deleted together")
def _(s: Script) -> None:
    s.delete(NAMESPACES)
    s.delete("/api/v1/componentstatuses")
    s.put("/api/v1/componentstatuses/etcd-0", {})
    s.post("/api/v1/componentstatuses", {})


@case("read for its head alone")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.ask("HEAD", f"{CONFIG_MAPS}/a")
    s.ask("HEAD", CONFIG_MAPS)
    s.ask("HEAD", f"{CONFIG_MAPS}/none")


@case("of a version that is not served")
def _(s: Script) -> None:
    s.get("/apis/apps/v1beta1/namespaces/{ns}/deployments")
    s.get("/apis/apps/v9/deployments/a")
    s.post("/apis/autoscaling/v3/namespaces/{ns}/horizontalpodautoscalers", {})
    s.get("/api/v2/pods")


@case("of a group that is not served")
def _(s: Script) -> None:
    s.get("/apis/none.example.org/v1/namespaces/{ns}/things/a")
    s.post("/apis/none.example.org/v1/namespaces/{ns}/things", {})
    s.delete("/apis/none.example.org/v1/things")
    s.get("/apis/extensions/v1beta1/ingresses")


@case("that asks by the way of old watches")
def _(s: Script) -> None:
    s.get("/api/v1/watch/nothings")
    s.get("/api/v1/watch/namespaces/{ns}/configmaps/a/status")
    s.post("/api/v1/watch/configmaps", {})
    s.delete("/api/v1/watch/namespaces/{ns}/configmaps/a")


@case("of a namespace that is not there")
def _(s: Script) -> None:
    s.get("/api/v1/namespaces/{ns}-none/configmaps")
    s.get("/api/v1/namespaces/{ns}-none/configmaps/a")
    s.post("/api/v1/namespaces/{ns}-none/configmaps", config_map("a"))
    s.delete("/api/v1/namespaces/{ns}-none/configmaps")
    s.get("/api/v1/namespaces/{ns}-none")


@case("by the proxy of an object that is not there")
def _(s: Script) -> None:
    s.get("/api/v1/namespaces/{ns}/services/none/proxy")
    s.get(f"{PODS}/none/log")
    s.get("/api/v1/nodes/none/proxy")
