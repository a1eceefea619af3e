"""Watches of built-in kinds: forms, fields, old paths, several namespaces, and what ends them."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Reference, Script

from cases.objects import CONFIG_MAPS, LEASES, NAMESPACES, PODS, SECRETS, config_map

case = Cases("follow")

BOOKMARKS: Final[dict[str, Any]] = {"allowWatchBookmarks": "true"}
INITIAL: Final[dict[str, Any]] = {"sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan", **BOOKMARKS}


def _now(s: Script, path: str = CONFIG_MAPS) -> Reference:
    return s.get(path)["metadata"]["resourceVersion"]


def _pod(name: str, **spec: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}}


@case("by the old path")
def _(s: Script) -> None:
    with s.watch("/api/v1/watch/namespaces/{ns}/configmaps", events=2, resourceVersion=_now(s)) as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.delete(f"{CONFIG_MAPS}/a")


@case("one object by the old path")
def _(s: Script) -> None:
    with s.watch("/api/v1/watch/namespaces/{ns}/configmaps/b", events=1, resourceVersion=_now(s)) as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.post(CONFIG_MAPS, config_map("b"))


@case("all namespaces")
def _(s: Script) -> None:
    version = _now(s)
    with s.watch("/api/v1/configmaps", events=1, resourceVersion=version, labelSelector="case={ns}") as during:
        during.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"case": "{ns}"}}))


@case("one object with its path")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.get(f"{CONFIG_MAPS}/a", watch="true")


@case("by two selectors")
def _(s: Script) -> None:
    version = _now(s)
    query: dict[str, Any] = {"resourceVersion": version, "labelSelector": "x=y", "fieldSelector": "metadata.name!=b"}
    with s.watch(CONFIG_MAPS, events=2, **query) as during:
        for name in "abc":
            during.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"x": "y"}}))


@case("pods that come to a node")
def _(s: Script) -> None:
    version = _now(s, PODS)
    with s.watch(PODS, events=2, resourceVersion=version, fieldSelector="spec.nodeName=n1") as during:
        during.post(PODS, _pod("a"))
        during.post(f"{PODS}/a/binding", {"metadata": {"name": "a"}, "target": {"name": "n1"}})
        during.delete(f"{PODS}/a", gracePeriodSeconds="0")


@case("pods by their phase")
def _(s: Script) -> None:
    version = _now(s, PODS)
    with s.watch(PODS, events=3, resourceVersion=version, fieldSelector="status.phase=Pending") as during:
        during.post(PODS, _pod("a"))
        during.patch(f"{PODS}/a/status", {"status": {"phase": "Running"}})
        during.patch(f"{PODS}/a/status", {"status": {"phase": "Pending"}})


@case("secrets by their type")
def _(s: Script) -> None:
    version = _now(s, SECRETS)
    with s.watch(SECRETS, events=1, resourceVersion=version, fieldSelector="type=example.com/x") as during:
        during.post(SECRETS, {"metadata": {"name": "a"}})
        during.post(SECRETS, {"metadata": {"name": "b"}, "type": "example.com/x"})


@case("a selector that an object leaves by its deletion")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"in": "yes"}, "finalizers": ["example.com/x"]}))
    with s.watch(CONFIG_MAPS, events=2, resourceVersion=_now(s), labelSelector="in=yes") as during:
        during.delete(f"{CONFIG_MAPS}/a")
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None, "labels": {"in": "no"}}})


@case("deletions step by step")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    with s.watch(CONFIG_MAPS, events=3, resourceVersion=_now(s)) as during:
        during.delete(f"{CONFIG_MAPS}/a", {"propagationPolicy": "Foreground"})
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": ["foregroundDeletion"]}})
        during.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": []}})


@case("a collection that goes")
def _(s: Script) -> None:
    for name in "ab":
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"go": "yes"}}))
    with s.watch(CONFIG_MAPS, events=2, resourceVersion=_now(s), fieldSelector="metadata.name=a") as during:
        during.delete(CONFIG_MAPS, labelSelector="go=yes")
        during.post(CONFIG_MAPS, config_map("a"))


@case("writes that change nothing, and tries")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    with s.watch(CONFIG_MAPS, events=1, resourceVersion=_now(s)) as during:
        during.put(f"{CONFIG_MAPS}/a", config_map("a"))
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "2"}}, dryRun="All")
        during.delete(f"{CONFIG_MAPS}/a", dryRun="All")
        during.patch(f"{CONFIG_MAPS}/a", {"data": {"a": "3"}})


@case("what is there, then what comes")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    with s.watch(CONFIG_MAPS, events=3, **INITIAL) as during:
        during.post(CONFIG_MAPS, config_map("b"))


@case("what is there through a selector")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"in": "yes"}}))
    s.post(CONFIG_MAPS, config_map("b"))
    with s.watch(CONFIG_MAPS, events=2, labelSelector="in=yes", **INITIAL):
        pass


@case("what is there where nothing is")
def _(s: Script) -> None:
    with s.watch(CONFIG_MAPS, events=1, **INITIAL):
        pass


@case("what is there, from versions")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    with s.watch(CONFIG_MAPS, events=2, resourceVersion=made["metadata"]["resourceVersion"], **INITIAL):
        pass
    with s.watch(CONFIG_MAPS, events=2, resourceVersion="0", **INITIAL):
        pass


@case("nothing of what is there")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    query: dict[str, Any] = {
        **INITIAL,
        "sendInitialEvents": "false",
        "resourceVersion": made["metadata"]["resourceVersion"],
    }
    with s.watch(CONFIG_MAPS, events=1, **query) as during:
        during.post(CONFIG_MAPS, config_map("b"))


@case("as tables with what is there")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    with s.watch(CONFIG_MAPS, events=3, headers=accept, includeObject="None", **INITIAL) as during:
        during.post(CONFIG_MAPS, config_map("b"))


@case("as metadata with what is there")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    accept = {"Accept": "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io"}
    with s.watch(CONFIG_MAPS, events=3, headers=accept, **INITIAL) as during:
        during.post(CONFIG_MAPS, config_map("b"))


@case("tables of pods")
def _(s: Script) -> None:
    accept = {"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"}
    with s.watch(PODS, events=2, headers=accept, resourceVersion=_now(s, PODS)) as during:
        during.post(PODS, _pod("a", nodeName="n1"))
        during.patch(f"{PODS}/a/status", {"status": {"phase": "Running"}})


@case("a form of its own")
def _(s: Script) -> None:
    with s.watch(
        CONFIG_MAPS, events=1, headers={"Accept": "application/json;stream=watch"}, resourceVersion=_now(s)
    ) as during:
        during.post(CONFIG_MAPS, config_map("a"))


@case("a namespace through its life")
def _(s: Script) -> None:
    version = s.get(NAMESPACES, fieldSelector="metadata.name={ns}")["metadata"]["resourceVersion"]
    query: dict[str, Any] = {"resourceVersion": version, "fieldSelector": "metadata.name={ns}-x"}
    with s.watch(NAMESPACES, events=4, **query) as during:
        during.post(NAMESPACES, {"metadata": {"name": "{ns}-x"}})
        during.patch(f"{NAMESPACES}/{{ns}}-x", {"metadata": {"labels": {"a": "b"}}})
        during.delete(f"{NAMESPACES}/{{ns}}-x")
        during.put(f"{NAMESPACES}/{{ns}}-x/finalize", {"metadata": {"name": "{ns}-x"}, "spec": {}})


@case("leases, one kind of several")
def _(s: Script) -> None:
    with s.watch(LEASES, events=2, resourceVersion=_now(s, LEASES)) as during:
        during.post(CONFIG_MAPS, config_map("a"))
        during.put(f"{LEASES}/l", {"metadata": {"name": "l"}, "spec": {"holderIdentity": "me"}})
        during.patch(f"{LEASES}/l", {"spec": {"holderIdentity": "you"}})


@case("that cannot be opened")
def _(s: Script) -> None:
    for query in (
        {"resourceVersionMatch": "Exact"},
        {"resourceVersionMatch": "NotOlderThan"},
        {"sendInitialEvents": "true", "resourceVersionMatch": "Other"},
        {"sendInitialEvents": "x"},
        {"timeoutSeconds": "1.5"},
        {"resourceVersion": "-1"},
        {"fieldSelector": "spec.x=1"},
        {"labelSelector": "a b"},
        {"continue": "x", "sendInitialEvents": "true", "resourceVersionMatch": "NotOlderThan"},
    ):
        s.get(CONFIG_MAPS, watch="true", **query)


@case("kinds that cannot be watched")
def _(s: Script) -> None:
    s.get("/api/v1/componentstatuses", watch="true")
    for accept in ("text/html", "application/json;stream=other", "application/yaml"):
        s.get("/api/v1/componentstatuses", watch="true", headers={"Accept": accept})
    s.get("/api/v1/watch/componentstatuses")
    s.get("/api/v1/namespaces/{ns}/bindings", watch="true")


@case("until its time is over, with nothing to tell")
def _(s: Script) -> None:
    with s.watch(CONFIG_MAPS, events=None, resourceVersion=_now(s), timeoutSeconds="1"):
        pass
