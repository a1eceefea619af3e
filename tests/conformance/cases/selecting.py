"""Selectors: every operator of labels, and the fields that each kind can be selected by."""

from __future__ import annotations

from typing import Any, Final

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS, NAMESPACES, PODS, SECRETS, config_map

case = Cases("select")

NODES: Final = "/api/v1/nodes"
EVENTS: Final = "/api/v1/namespaces/{ns}/events"


def _labelled(s: Script) -> None:
    for name, labels in (("a", {"n": "1", "t": "x"}), ("b", {"n": "22", "t": "y"}), ("c", {"t": ""}), ("d", None)):
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": labels}), dryRun=[])


def _by(s: Script, *selectors: str) -> None:
    _labelled(s)
    for selector in selectors:
        s.get(CONFIG_MAPS, labelSelector=selector)


@case("labels that are equal")
def _(s: Script) -> None:
    _by(s, "t=x", "t==x", "t=", "t", "t = x", "t=x,n=1", "t=x,t=y", "none=x")


@case("labels that are not")
def _(s: Script) -> None:
    _by(s, "t!=x", "t!=", "!t", "! t", "none!=x", "t!=x,t!=y")


@case("labels among several")
def _(s: Script) -> None:
    _by(s, "t in (x,y)", "t in (x)", "t in (,x)", "t in ()", "t  in  ( x , y )", "t in (y,x,y)")


@case("labels not among several")
def _(s: Script) -> None:
    _by(s, "t notin (x,y)", "t notin (x)", "n notin (1)", "t notin ()")


@case("labels that are numbers")
def _(s: Script) -> None:
    _by(s, "n>1", "n<22", "n>0,n<10", "t>1", "n > 5", "n>x", "n>1.5", "n<", "n>-1")


@case("several requirements at once")
def _(s: Script) -> None:
    _by(s, "t,n", "t,!n", "t in (x,y),n!=1", " t = x , n = 1 ", "t=x,", ",t=x", ",")


@case("selectors that cannot be read")
def _(s: Script) -> None:
    _by(s, "t in", "t in (", "t in x", "(x)", "t=(x)", "t notin", "=x", "t=x y", "t==x==y", "!t=x", "in", "notin (x)")


@case("keys and values that labels cannot have")
def _(s: Script) -> None:
    _by(s, "-t=x", "a/b/c=x", "t=-x", f"t={'x' * 64}", f"{'k' * 64}=x", "t in (-x)", "é=x", "t=é", "exa.com/t=x")


@case("an empty selector")
def _(s: Script) -> None:
    _by(s, "", " ")
    s.get(CONFIG_MAPS, fieldSelector="")


@case("fields of every kind")
def _(s: Script) -> None:
    _labelled(s)
    for selector in (
        "metadata.name=a",
        "metadata.name==a",
        "metadata.name!=a",
        "metadata.name=none",
        "metadata.namespace=other",
        "metadata.namespace!={ns}",
        "metadata.name=a,metadata.namespace={ns}",
        "metadata.name=a,metadata.name=b",
    ):
        s.get(CONFIG_MAPS, fieldSelector=selector)


@case("fields that cannot be read")
def _(s: Script) -> None:
    for selector in (
        "metadata.name",
        "=a",
        "metadata.name=a=b",
        "metadata.name>a",
        "a\\",
        "metadata.name=a\\",
        ",",
        "!x",
    ):
        s.get(CONFIG_MAPS, fieldSelector=selector)


@case("fields that a kind does not have")
def _(s: Script) -> None:
    for path in (CONFIG_MAPS, SECRETS, PODS, NODES, DEPLOYMENTS, NAMESPACES, EVENTS):
        s.get(path, fieldSelector="data.nothing=x")


@case("fields with escapes")
def _(s: Script) -> None:
    _labelled(s)
    s.get(CONFIG_MAPS, fieldSelector="metadata.name=a\\,b")
    s.get(CONFIG_MAPS, fieldSelector="metadata.name=\\\\")
    s.get(CONFIG_MAPS, fieldSelector="metadata.name=a\\=b")


@case("fields of pods")
def _(s: Script) -> None:
    def pod(name: str, **spec: Any) -> None:
        s.post(PODS, {"metadata": {"name": name}, "spec": {"containers": [{"name": "c", "image": "i"}], **spec}})

    pod("a", nodeName="n1")
    pod("b", restartPolicy="Never", schedulerName="mine", hostNetwork=True)
    s.patch(f"{PODS}/a/status", {"status": {"phase": "Running", "podIP": "10.0.0.1", "podIPs": [{"ip": "10.0.0.1"}]}})
    for selector in (
        "spec.nodeName=n1",
        "spec.nodeName=",
        "spec.restartPolicy=Never",
        "spec.schedulerName=mine",
        "spec.serviceAccountName=default",
        "spec.hostNetwork=true",
        "status.phase=Running",
        "status.phase!=Running",
        "status.podIP=10.0.0.1",
        "status.nominatedNodeName=",
        "spec.hostNetwork=yes",
        "spec.priority=0",
    ):
        s.get(PODS, fieldSelector=selector)


@case("fields of secrets")
def _(s: Script) -> None:
    s.post(SECRETS, {"metadata": {"name": "a"}})
    s.post(SECRETS, {"metadata": {"name": "b"}, "type": "example.com/x"})
    for selector in ("type=Opaque", "type!=Opaque", "type=example.com/x", "data=x"):
        s.get(SECRETS, fieldSelector=selector)


@case("fields of nodes")
def _(s: Script) -> None:
    mine = {"case": "{ns}"}
    s.post(NODES, {"metadata": {"name": "{ns}-a", "labels": mine}})
    s.post(NODES, {"metadata": {"name": "{ns}-b", "labels": mine}, "spec": {"unschedulable": True}})
    for selector in ("spec.unschedulable=true", "spec.unschedulable=false", "spec.podCIDR=x"):
        s.get(NODES, fieldSelector=selector, labelSelector="case={ns}")
    s.delete(NODES, labelSelector="case={ns}")


@case("fields of namespaces")
def _(s: Script) -> None:
    s.get(NAMESPACES, fieldSelector="status.phase=Active,metadata.name={ns}")
    s.get(NAMESPACES, fieldSelector="status.phase=Terminating,metadata.name={ns}")
    s.get(NAMESPACES, fieldSelector="spec.finalizers=x")


@case("fields of events")
def _(s: Script) -> None:
    about = {"kind": "Pod", "namespace": "{ns}", "name": "p", "uid": "u1", "apiVersion": "v1", "fieldPath": "spec"}
    s.post(EVENTS, {"metadata": {"name": "e1"}, "involvedObject": about, "reason": "Good", "type": "Normal"})
    other = {"metadata": {"name": "e2"}, "involvedObject": {"namespace": "{ns}"}, "type": "Warning"}
    s.post(EVENTS, {**other, "source": {"component": "me"}, "reportingComponent": "you"})
    for selector in (
        "involvedObject.kind=Pod",
        "involvedObject.name=p",
        "involvedObject.uid=u1",
        "involvedObject.apiVersion=v1",
        "involvedObject.fieldPath=spec",
        "involvedObject.namespace={ns}",
        "reason=Good",
        "type=Warning",
        "source=me",
        "reportingComponent=you",
        "message=x",
    ):
        s.get(EVENTS, fieldSelector=selector)


@case("fields of the newer events")
def _(s: Script) -> None:
    s.post(EVENTS, {"metadata": {"name": "e1"}, "involvedObject": {"namespace": "{ns}", "name": "p"}, "reason": "Good"})
    path = "/apis/events.k8s.io/v1/namespaces/{ns}/events"
    for selector in ("regarding.name=p", "reason=Good", "involvedObject.name=p", "reportingController=", "type="):
        s.get(path, fieldSelector=selector)


@case("fields of workloads")
def _(s: Script) -> None:
    s.get("/apis/apps/v1/namespaces/{ns}/replicasets", fieldSelector="status.replicas=0")
    s.get("/apis/batch/v1/namespaces/{ns}/jobs", fieldSelector="status.successful=0")
    s.get("/api/v1/namespaces/{ns}/replicationcontrollers", fieldSelector="status.replicas=0")
    s.get(DEPLOYMENTS, fieldSelector="status.replicas=0")
    s.get("/apis/certificates.k8s.io/v1/certificatesigningrequests", fieldSelector="spec.signerName=x")


@case("across namespaces")
def _(s: Script) -> None:
    s.post(CONFIG_MAPS, config_map("a", metadata={"labels": {"case": "{ns}"}}))
    s.get("/api/v1/configmaps", labelSelector="case={ns}")
    s.get("/api/v1/configmaps", fieldSelector="metadata.namespace={ns},metadata.name=a")
    s.get("/api/v1/configmaps", fieldSelector="metadata.name=a", labelSelector="case={ns}")


@case("pages of what is selected")
def _(s: Script) -> None:
    for name in "abcde":
        s.post(CONFIG_MAPS, config_map(name, metadata={"labels": {"odd": "yes" if name in "ace" else "no"}}))
    first = s.get(CONFIG_MAPS, labelSelector="odd=yes", limit="2")
    s.get(CONFIG_MAPS, labelSelector="odd=yes", limit="2", continue_=first["metadata"]["continue"])
    s.get(CONFIG_MAPS, labelSelector="odd=no", limit="1")
    s.get(CONFIG_MAPS, fieldSelector="metadata.name=a", limit="1")
