"""Deletes: finalizers, preconditions, propagation, collections."""

from __future__ import annotations

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, config_map

case = Cases("delete")


@case("an object")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(f"{CONFIG_MAPS}/a")
    s.delete(f"{CONFIG_MAPS}/a")


@case("with a finalizer")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    s.delete(f"{CONFIG_MAPS}/a")
    s.delete(f"{CONFIG_MAPS}/a")
    s.patch(f"{CONFIG_MAPS}/a", {"metadata": {"finalizers": None}})
    s.get(f"{CONFIG_MAPS}/a")


@case("with preconditions")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    other = "8f1e7c1e-0000-4000-8000-000000000000"
    s.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": other}})
    s.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"resourceVersion": "1"}})
    s.delete(f"{CONFIG_MAPS}/a", {"preconditions": {"uid": made["metadata"]["uid"]}})


@case("with each propagation policy")
def _(s: Script) -> None:
    for policy in ("Foreground", "Orphan", "Background", "Sideways"):
        s.post(CONFIG_MAPS, config_map(policy.lower()))
        s.delete(f"{CONFIG_MAPS}/{policy.lower()}", {"propagationPolicy": policy})
        s.get(f"{CONFIG_MAPS}/{policy.lower()}")


@case("with options in the query")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(f"{CONFIG_MAPS}/a", propagationPolicy="Foreground", dryRun="All")
    s.delete(f"{CONFIG_MAPS}/a", gracePeriodSeconds="x")
    s.delete(f"{CONFIG_MAPS}/a", propagationPolicy="Foreground")
    s.delete(f"{CONFIG_MAPS}/b", {"kind": "DeleteOptions", "apiVersion": "v1", "orphanDependents": True})


@case("a collection")
def _(s: Script) -> None:
    for name in ("a", "b", "c"):
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"group": "x" if name < "c" else "y"}}))
    s.delete(CONFIG_MAPS, labelSelector="group=x")
    s.get(CONFIG_MAPS)
    s.delete(CONFIG_MAPS, labelSelector="a in (")


@case("a namespace")
def _(s: Script) -> None:
    s.delete(f"{NAMESPACES}/{{ns}}")
    s.post(CONFIG_MAPS, config_map("a"))
    s.get(f"{NAMESPACES}/{{ns}}")
    s.delete(f"{NAMESPACES}/{{ns}}")
    ended = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "{ns}"}, "spec": {"finalizers": []}}
    s.put(f"{NAMESPACES}/{{ns}}/finalize", ended)
    s.get(f"{NAMESPACES}/{{ns}}")


@case("what is not there")
def _(s: Script) -> None:
    s.delete(f"{CONFIG_MAPS}/none")
    s.delete(f"{DEPLOYMENTS}/none")
    s.delete("/api/v1/configmaps")
