"""Deletes in depth: grace, propagation, preconditions, bodies; one by one and together."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS, SECRETS, SERVICES, config_map

case = Cases("removal")

A: Final = f"{CONFIG_MAPS}/a"
UID: Final = "8f1e7c1e-0000-4000-8000-000000000000"
TEMPLATE: Final[dict[str, Any]] = {
    "metadata": {"labels": {"app": "x"}},
    "spec": {"containers": [{"name": "a", "image": "x"}]},
}


def _pod(s: Script, **spec: Any) -> None:
    s.post(PODS, {"metadata": {"name": "p"}, "spec": {"containers": [{"name": "a", "image": "x"}], **spec}})


@case("of a pod that no node has")
def _(s: Script) -> None:
    _pod(s)
    s.delete(f"{PODS}/p")
    s.get(f"{PODS}/p")


@case("of a pod on a node")
def _(s: Script) -> None:
    _pod(s, nodeName="n")
    s.delete(f"{PODS}/p")
    s.get(f"{PODS}/p")
    s.delete(f"{PODS}/p", gracePeriodSeconds="0")
    s.get(f"{PODS}/p")


@case("of a pod with its own grace")
def _(s: Script) -> None:
    _pod(s, nodeName="n", terminationGracePeriodSeconds=7)
    s.delete(f"{PODS}/p")
    s.delete(f"{PODS}/p", {"gracePeriodSeconds": 100})
    s.delete(f"{PODS}/p", {"gracePeriodSeconds": 3})
    s.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})
    s.delete(f"{PODS}/p")


@case("of a pod at once")
def _(s: Script) -> None:
    _pod(s, nodeName="n")
    s.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})
    s.get(f"{PODS}/p")


@case("of a pod with a finalizer")
def _(s: Script) -> None:
    _pod(s, nodeName="n")
    s.patch(f"{PODS}/p", {"metadata": {"finalizers": ["example.com/x"]}})
    s.delete(f"{PODS}/p", {"gracePeriodSeconds": 0})
    s.patch(f"{PODS}/p", {"metadata": {"finalizers": None}})
    s.get(f"{PODS}/p")


@case("of a pod that has ended")
def _(s: Script) -> None:
    _pod(s, nodeName="n")
    s.patch(f"{PODS}/p/status", {"status": {"phase": "Succeeded"}})
    s.delete(f"{PODS}/p")
    s.get(f"{PODS}/p")


@case("of workloads, which have dependents")
def _(s: Script) -> None:
    spec = {"selector": {"matchLabels": {"app": "x"}}, "template": TEMPLATE}
    for index, policy in enumerate(("Foreground", "Background", "Orphan")):
        s.post(DEPLOYMENTS, {"metadata": {"name": f"d{index}"}, "spec": spec})
        s.delete(f"{DEPLOYMENTS}/d{index}", {"propagationPolicy": policy})
        s.get(f"{DEPLOYMENTS}/d{index}")


@case("of kinds that orphan where nothing is said")
def _(s: Script) -> None:
    jobs = "/apis/batch/v1/namespaces/{ns}/jobs"
    pod = {**TEMPLATE["spec"], "restartPolicy": "Never"}
    s.post(jobs, {"metadata": {"name": "j"}, "spec": {"template": {"spec": pod}}})
    s.delete(f"{jobs}/j")
    controllers = "/api/v1/namespaces/{ns}/replicationcontrollers"
    s.post(controllers, {"metadata": {"name": "c"}, "spec": {"selector": {"app": "x"}, "template": TEMPLATE}})
    s.delete(f"{controllers}/c")


@case("of kinds that answer with themselves")
def _(s: Script) -> None:
    s.post(SERVICES, {"metadata": {"name": "s"}, "spec": {"clusterIP": "None", "ports": [{"port": 80}]}})
    s.delete(f"{SERVICES}/s")
    s.post("/api/v1/namespaces/{ns}/serviceaccounts", {"metadata": {"name": "a"}})
    s.delete("/api/v1/namespaces/{ns}/serviceaccounts/a")
    s.post("/api/v1/namespaces/{ns}/podtemplates", {"metadata": {"name": "t"}, "template": TEMPLATE})
    s.delete("/api/v1/namespaces/{ns}/podtemplates/t")


@case("of events, which have no dependents")
def _(s: Script) -> None:
    events = "/api/v1/namespaces/{ns}/events"
    s.post(events, {"metadata": {"name": "e"}, "involvedObject": {"namespace": "{ns}"}})
    s.delete(f"{events}/e", {"propagationPolicy": "Foreground"})
    s.get(f"{events}/e")


@case("with orphanDependents, as it once was")
def _(s: Script) -> None:
    for orphan in (True, False):
        s.post(CONFIG_MAPS, config_map("a"))
        s.delete(A, {"orphanDependents": orphan})
        s.get(A)
        s.patch(A, {"metadata": {"finalizers": None}})
    s.delete(A, {"orphanDependents": True, "propagationPolicy": "Orphan"})


@case("with one policy, then another")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": ["example.com/x"]}))
    for policy in ("Foreground", "Orphan", "Background"):
        s.delete(A, {"propagationPolicy": policy})


@case("with finalizers of policies already set")
def _(s: Script) -> None:
    for finalizer in ("orphan", "foregroundDeletion"):
        s.post(CONFIG_MAPS, config_map("a", metadata={"finalizers": [finalizer]}))
        s.delete(A)
        s.get(A)
        s.patch(A, {"metadata": {"finalizers": None}})


@case("with preconditions that are met")
def _(s: Script) -> None:
    made = s.post(CONFIG_MAPS, config_map("a"))
    about = made["metadata"]
    s.delete(A, {"preconditions": {"uid": about["uid"], "resourceVersion": "1"}})
    s.delete(A, {"preconditions": {"uid": UID, "resourceVersion": about["resourceVersion"]}})
    s.delete(A, {"preconditions": {"uid": about["uid"], "resourceVersion": about["resourceVersion"]}})


@case("with preconditions that say nothing")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, {"preconditions": {"uid": ""}})
    s.delete(A, {"preconditions": {"resourceVersion": ""}})
    s.delete(A, {"preconditions": {}})


@case("of a namespace with preconditions")
def _(s: Script) -> None:
    path = f"{NAMESPACES}/{{ns}}"
    s.get(path)
    s.delete(path, {"preconditions": {"uid": UID}})
    s.delete(path, {"preconditions": {"resourceVersion": "1"}})
    s.delete(path, dryRun="All")
    s.get(path)


@case("with bodies that cannot be read")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    for body in (b"{", b"[]", b'"x"', b"null", b"1"):
        s.delete(A, body)
        s.post(CONFIG_MAPS, config_map("a"))


@case("with bodies of other kinds")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    s.delete(A, {"kind": "ConfigMap", "apiVersion": "v1"})
    s.delete(A, {"kind": "DeleteOptions", "apiVersion": "v2"})
    s.delete(A, {"kind": "DeleteOptions", "apiVersion": "meta.k8s.io/v1", "dryRun": ["All"]})
    s.delete(A, {"kind": "DeleteOptions", "apiVersion": "apps/v1", "dryRun": ["All"]})
    s.delete(A, {"kind": "DeleteOptions"})


@case("with options of other types")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a"))
    wrong: tuple[Any, ...] = (
        {"gracePeriodSeconds": "1"},
        {"gracePeriodSeconds": 1.5},
        {"preconditions": []},
        {"preconditions": {"uid": 1}},
        {"propagationPolicy": 1},
        {"dryRun": "All"},
        {"orphanDependents": "true"},
    )
    for options in wrong:
        s.delete(A, options)


@case("together, by labels")
def _(s: Script) -> None:
    for name in "abcd":
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"in": "yes" if name < "c" else "no"}}))
    s.delete(CONFIG_MAPS, labelSelector="in=yes")
    s.delete(CONFIG_MAPS, fieldSelector="metadata.name=c")
    s.get(CONFIG_MAPS)


@case("together, some at a time")
def _(s: Script) -> None:
    for name in "abc":
        s.post(SECRETS, {"metadata": {"name": name}})
    first = s.delete(SECRETS, limit="2")
    s.get(SECRETS)
    s.delete(SECRETS, limit="2", continue_=first["metadata"]["continue"])
    s.get(SECRETS)


@case("together, with a body")
def _(s: Script) -> None:
    for name in "ab":
        s.post(SECRETS, {"metadata": {"name": name}})
    s.delete(SECRETS, {"propagationPolicy": "Foreground"})
    s.get(SECRETS)
    s.delete(SECRETS, {"dryRun": ["All"]})
    s.delete(SECRETS, {"preconditions": {"uid": UID}})


@case("together, by selectors that are wrong")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "a"}})
    s.delete(SECRETS, labelSelector="a in (")
    s.delete(SECRETS, fieldSelector="nope=1")
    s.delete(SECRETS, limit="x")
    s.delete(SECRETS, continue_="rubbish", limit="1")
    s.delete(SECRETS, b"{")
    s.get(SECRETS)


@case("together, as a table and as metadata")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "a", "finalizers": ["example.com/x"]}})
    s.delete(SECRETS, headers={"Accept": "application/json;as=Table;v=v1;g=meta.k8s.io"})
    s.delete(SECRETS, headers={"Accept": "application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io"})
    s.patch(f"{SECRETS}/a", {"metadata": {"finalizers": None}})


@case("together, of nothing, and at a version")
def _(s: Script) -> None:
    s.delete(SECRETS)
    s.delete(SECRETS, resourceVersion="0")
    s.delete(SECRETS, resourceVersion="x")
    s.delete(SECRETS, resourceVersionMatch="Exact")
