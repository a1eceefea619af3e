"""Query options of every verb, and what is wrong with them."""

from __future__ import annotations

from typing import Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, config_map

case = Cases("option")

A: Final = f"{CONFIG_MAPS}/a"


@case("dryRun of a create")
def _(s: Script) -> None:
    for value in ("All", "None", "", "all"):
        s.post(CONFIG_MAPS, config_map("a"), dryRun=value)
        s.get(A)
        s.delete(A)


@case("dryRun twice")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), dryRun=["All", "All"])
    s.post(CONFIG_MAPS, config_map("a"), dryRun=["All", "Other"])


@case("dryRun of a create that would fail")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.post(CONFIG_MAPS, config_map("a"), dryRun="All")
    s.post(CONFIG_MAPS, config_map("B_"), dryRun="All")
    s.post("/api/v1/namespaces/{ns}-none/configmaps", config_map("a"), dryRun="All")


@case("dryRun of a create with a generated name")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, {"metadata": {"generateName": "gen-"}}, dryRun="All")
    s.get(CONFIG_MAPS)


@case("dryRun of an update")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a", data={"b": "2"}), dryRun="All")
    s.put(A, config_map("a", metadata={"resourceVersion": "1"}), dryRun="All")
    s.put(A, config_map("a"), dryRun="Other")
    s.get(A)


@case("dryRun of patches")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.patch(A, {"data": {"b": "2"}}, dryRun="All")
    s.patch(A, [{"op": "remove", "path": "/data"}], kind="json", dryRun="All")
    s.patch(A, {"data": {"c": "3"}}, kind="strategic", dryRun="All")
    s.apply(A, config_map("a", data={"d": "4"}), dryRun="All")
    s.apply(f"{CONFIG_MAPS}/new", config_map("new"), dryRun="All")
    s.get(CONFIG_MAPS)


@case("dryRun of a delete")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, dryRun="All")
    s.delete(A, {"dryRun": ["All"]})
    s.delete(A, {"dryRun": ["Some"]})
    s.delete(A, dryRun="Some")
    s.delete(A, {"dryRun": ["All"], "propagationPolicy": "Foreground"})
    s.delete(CONFIG_MAPS, dryRun="All")
    s.get(A)


@case("dryRun of a status and of a scale")
def _(s: Script) -> None:
    labels = {"app": "web"}
    template = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "a", "image": "x"}]}}
    s.post(
        DEPLOYMENTS, {"metadata": {"name": "d"}, "spec": {"selector": {"matchLabels": labels}, "template": template}}
    )
    s.patch(f"{DEPLOYMENTS}/d/status", {"status": {"replicas": 3}}, dryRun="All")
    s.patch(f"{DEPLOYMENTS}/d/scale", {"spec": {"replicas": 3}}, dryRun="All")
    s.get(f"{DEPLOYMENTS}/d")


@case("fieldManager that breaks the rules")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.put(A, config_map("a"), fieldManager="x" * 129)
    s.patch(A, {}, fieldManager="x" * 129)
    s.patch(A, {}, fieldManager="a\nb")
    s.apply(A, config_map("a"), manager="x" * 129)
    s.apply(A, config_map("a"), manager="")


@case("fieldManager in each kind of write")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), fieldManager="maker")
    s.put(A, config_map("a", data={"a": "2"}), fieldManager="changer")
    s.patch(A, {"data": {"b": "2"}}, fieldManager="merger")
    s.patch(A, [{"op": "add", "path": "/data/c", "value": "3"}], kind="json", fieldManager="json")
    s.patch(A, {"data": {"d": "4"}}, kind="strategic", fieldManager="strategic")


@case("no fieldManager, but a client with a name")
def _(s: Script) -> None:
    for index, agent in enumerate(("kubectl/v1.36 (linux)", "", "a b/c", "x" * 200, "ü/1")):
        s.post(CONFIG_MAPS, config_map(f"a{index}"), headers={"User-Agent": agent.encode().decode("latin-1")})


@case("fieldValidation of each verb that is none")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), fieldValidation="Loose")
    s.put(A, config_map("a"), fieldValidation="strict")
    s.patch(A, {}, fieldValidation="x")
    s.apply(A, config_map("a"), fieldValidation="x")


@case("several wrong ones at once")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), dryRun="x", fieldManager="y" * 129, fieldValidation="z")
    s.patch(A, {}, dryRun="x", force="true", fieldValidation="z")
    s.delete(A, dryRun="x", propagationPolicy="y")


@case("force where there is no apply")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), force="true")
    s.put(A, config_map("a"), force="true")
    for force in ("true", "false", "x"):
        s.patch(A, {}, force=force)
    s.delete(A, force="true")


@case("that nobody knows")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"), nonsense="1")
    s.get(A, nonsense="1", watch="maybe")
    s.get(CONFIG_MAPS, nonsense="1")
    s.delete(A, nonsense="1")


@case("resourceVersion of a get")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    s.get(A, resourceVersion="0")
    s.get(A, resourceVersion="")
    s.get(A, resourceVersion=made["metadata"]["resourceVersion"])
    s.get(A, resourceVersion="x")
    s.get(A, resourceVersion="-1")
    s.get(f"{CONFIG_MAPS}/none", resourceVersion="0")


@case("of a list where they make no sense")
def _(s: Script) -> None:
    s.get(CONFIG_MAPS, timeoutSeconds="x")
    s.get(CONFIG_MAPS, timeoutSeconds="5")
    s.get(CONFIG_MAPS, limit="1.5")
    s.get(CONFIG_MAPS, limit="99999999999999999999")
    s.get(CONFIG_MAPS, allowWatchBookmarks="x")
    s.get(CONFIG_MAPS, watch="false")
    s.get(CONFIG_MAPS, watch="0")


@case("of a get where they make no sense")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.get(A, labelSelector="x=y", fieldSelector="metadata.name=b", limit="1")
    s.get(A, resourceVersionMatch="Exact")
    s.get(A, sendInitialEvents="true")


@case("gracePeriodSeconds of a delete")
def _(s: Script) -> None:
    for value in ("x", "1.5", "99999999999999999999", "-5", ""):
        s.post(CONFIG_MAPS, config_map("a"))
        s.delete(A, gracePeriodSeconds=value)


@case("orphanDependents of a delete")
def _(s: Script) -> None:
    for value in ("true", "false", "x", ""):
        s.post(CONFIG_MAPS, config_map("a"))
        s.delete(A, orphanDependents=value)
        s.get(A)
        s.patch(A, {"metadata": {"finalizers": None}})


@case("ignoreStoreReadErrorWithClusterBreakingPotential of a delete")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, ignoreStoreReadErrorWithClusterBreakingPotential="true")
    s.delete(A, {"ignoreStoreReadErrorWithClusterBreakingPotential": True, "dryRun": ["All"]})
    s.delete(CONFIG_MAPS, ignoreStoreReadErrorWithClusterBreakingPotential="true")


@case("in the query and in the body of a delete")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, {"dryRun": ["All"]}, propagationPolicy="Sideways")
    s.delete(A, {"gracePeriodSeconds": 3}, dryRun="All")


@case("propagationPolicy of a delete that is none")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for policy in ("", "foreground", "Delete"):
        s.delete(A, propagationPolicy=policy)
