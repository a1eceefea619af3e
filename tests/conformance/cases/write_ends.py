"""Ends of objects, and their subresources, by the same requests to a custom and to a built-in kind."""

from __future__ import annotations

from typing import Any

from harness.script import Cases, Script

from cases.objects import CONFIG_MAPS, DEPLOYMENTS
from cases.widget_objects import (
    APPLY,
    HERE,
    JSON_PATCH,
    MERGE,
    STRATEGIC,
    WIDGET_CRD,
    WIDGETS,
    Make,
    complete_deployment,
    plain_map,
    send,
    widget,
)

case = Cases("write ends")


def _deleting(s: Script, base: str, make: Make) -> None:
    path = f"{base}/x"
    send(s, "DELETE", path)
    send(s, "POST", base, make("x"))
    send(s, "DELETE", f"{path}?dryRun=All")
    bodies: tuple[Any, ...] = (
        {"preconditions": {"uid": "x"}},
        {"preconditions": {"resourceVersion": "x"}},
        {"propagationPolicy": "Bogus"},
        {"propagationPolicy": "Orphan", "orphanDependents": True},
        {"kind": "Foo", "apiVersion": "v1"},
        {"kind": "DeleteOptions", "apiVersion": "v1", "foo": 1, "dryRun": ["All"]},
        "zz",
        {"gracePeriodSeconds": "x"},
    )
    for body in bodies:
        send(s, "DELETE", path, body)
    send(s, "DELETE", f"{path}?gracePeriodSeconds=x")
    send(s, "DELETE", f"{path}?propagationPolicy=Foreground")
    send(s, "DELETE", f"{path}?propagationPolicy=Foreground")
    version = send(s, "GET", path)["metadata"]["resourceVersion"]
    send(s, "PUT", path, make(metadata={"name": "x", "resourceVersion": version, "finalizers": ["a.b/c"]}))
    send(s, "POST", base, make("x"))
    send(s, "PATCH", path, {"metadata": {"finalizers": ["foregroundDeletion", "a.b/c"]}}, MERGE)
    send(s, "PATCH", path, {"metadata": {"finalizers": None}}, MERGE)
    send(s, "GET", path)
    for query in (
        "propagationPolicy=Background",
        "propagationPolicy=Orphan",
        "orphanDependents=true",
        "orphanDependents=false",
    ):
        send(s, "POST", base, make("y"))
        send(s, "DELETE", f"{base}/y?{query}")
        send(s, "PATCH", f"{base}/y", {"metadata": {"finalizers": None}}, MERGE)
    send(s, "POST", base, make(metadata={"name": "z", "labels": {"k": "v"}, "finalizers": ["a.b/c", "orphan"]}))
    send(s, "DELETE", f"{base}/z", {"propagationPolicy": "Foreground", "gracePeriodSeconds": 5})
    send(s, "PATCH", f"{base}/z", [{"op": "remove", "path": "/metadata/finalizers/0"}], JSON_PATCH)
    send(s, "DELETE", f"{base}?labelSelector=k%3Dv")
    send(s, "PATCH", f"{base}/z", [{"op": "remove", "path": "/metadata/finalizers"}], JSON_PATCH)
    for query in ("labelSelector=k%3Dv", "labelSelector=k%3D%3D%3Dv", "fieldSelector=a%3Dv"):
        send(s, "DELETE", f"{base}?{query}")


@case("deletes of a custom resource")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _deleting(s, WIDGETS, widget)


@case("deletes of a config map")
def _(s: Script) -> None:
    _deleting(s, CONFIG_MAPS, plain_map)


def _namespaces(s: Script) -> None:
    path = "/api/v1/namespaces"
    send(s, "POST", path, {"metadata": {"name": "n1", "labels": {"a": "b"}}})
    send(s, "POST", path, {"metadata": {"name": "a.b"}})
    send(s, "PUT", f"{path}/n1", {"metadata": {"name": "n1"}, "spec": {"finalizers": ["x.y/z"]}})
    send(s, "DELETE", f"{path}/n1", {"preconditions": {"uid": "x"}})
    send(s, "DELETE", f"{path}/n1")
    send(s, "DELETE", f"{path}/n1")
    send(s, "POST", f"{path}/n1/configmaps", {"metadata": {"name": "x"}})
    send(s, "POST", f"{path}/n1/configmaps", {"metadata": {"generateName": "x"}})
    send(s, "PUT", f"{path}/n1/finalize", {"metadata": {"name": "n1"}, "spec": {}})
    send(s, "GET", f"{path}/n1")
    send(s, "DELETE", f"{path}/default")
    send(s, "DELETE", f"{path}/kube-node-lease?dryRun=All")


@case("namespaces")
def _(s: Script) -> None:
    _namespaces(s)


def _scale(s: Script) -> None:
    send(s, "POST", DEPLOYMENTS, complete_deployment("sc"))
    send(s, "POST", WIDGETS, widget("sc", spec={"replicas": 1}))
    send(s, "POST", WIDGETS, widget("nosc", spec={}))
    scale = {"kind": "Scale", "apiVersion": "autoscaling/v1"}
    for base in (WIDGETS, DEPLOYMENTS):
        path = f"{base}/sc/scale"
        send(s, "GET", path)
        send(s, "PUT", path, {"metadata": {"name": "sc"}, "spec": {"replicas": 2}})
        for metadata, spec in (({}, 2), ({"resourceVersion": "1"}, 2), ({"uid": "1"}, 3), ({}, -1), ({}, 0)):
            send(s, "PUT", path, {**scale, "metadata": {"name": "sc", **metadata}, "spec": {"replicas": spec}})
        send(s, "PUT", f"{base}/absent/scale", {"metadata": {"name": "absent"}, "spec": {"replicas": 2}})
        send(s, "PATCH", path, {"spec": {"replicas": 5}}, MERGE)
        send(s, "PATCH", path, {"spec": {"replicas": 6}}, STRATEGIC)
        send(s, "PATCH", path, {"metadata": {"labels": {"a": "b"}}}, MERGE)
        send(s, "PATCH", path, [{"op": "replace", "path": "/spec/replicas", "value": 7}], JSON_PATCH)
        for query, replicas in (("", 7), ("", 8), ("&force=true", 8)):
            body = {**scale, "metadata": {"name": "sc"}, "spec": {"replicas": replicas}}
            send(s, "PATCH", f"{path}?fieldManager=ap{query}", body, APPLY)
        send(s, "PATCH", f"{base}/absent/scale", {"spec": {"replicas": 5}}, MERGE)
    send(s, "GET", f"{WIDGETS}/sc")
    send(s, "GET", f"{DEPLOYMENTS}/sc")
    send(s, "GET", f"{WIDGETS}/nosc/scale")
    send(s, "PATCH", f"{WIDGETS}/nosc/scale", {"metadata": {"annotations": {"a": "b"}}}, MERGE)
    send(s, "PATCH", f"{WIDGETS}/nosc/scale", {"spec": {"replicas": 5}}, MERGE)


@case("scales")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _scale(s)


def _scale_owners(s: Script) -> None:
    """Who owns the replicas after writes to the scale."""
    send(s, "POST", WIDGETS, widget("so", spec={"replicas": 1}))
    send(s, "PATCH", f"{WIDGETS}/so/scale?fieldManager=scaler", {"spec": {"replicas": 4}}, MERGE)
    send(s, "GET", f"{WIDGETS}/so")
    send(s, "PUT", f"{WIDGETS}/so/scale?fieldManager=other", {"metadata": {"name": "so"}, "spec": {"replicas": 5}})
    send(s, "GET", f"{WIDGETS}/so")
    send(s, "PATCH", f"{WIDGETS}/so?fieldManager=m", widget("so", spec={"replicas": 6}), APPLY)
    send(s, "POST", DEPLOYMENTS, complete_deployment("so"))
    send(s, "PATCH", f"{DEPLOYMENTS}/so/scale?fieldManager=scaler", {"spec": {"replicas": 4}}, MERGE)
    send(s, "GET", f"{DEPLOYMENTS}/so")
    send(s, "PATCH", f"{DEPLOYMENTS}/so/scale?fieldManager=strategic", {"spec": {"replicas": 6}}, STRATEGIC)
    send(s, "GET", f"{DEPLOYMENTS}/so")
    send(s, "PUT", f"{DEPLOYMENTS}/so/scale?fieldManager=other", {"metadata": {"name": "so"}, "spec": {"replicas": 5}})
    send(s, "GET", f"{DEPLOYMENTS}/so")


@case("who owns the replicas")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _scale_owners(s)


def _status(s: Script) -> None:
    send(s, "POST", WIDGETS, widget("st", spec={"replicas": 1}, status={"replicas": 9}))
    body = widget(metadata={"name": "st", "labels": {"x": "y"}}, spec={"replicas": 99}, status={"replicas": 2})
    send(s, "PUT", f"{WIDGETS}/st/status", body)
    body["metadata"]["resourceVersion"] = send(s, "GET", f"{WIDGETS}/st")["metadata"]["resourceVersion"]
    send(s, "PUT", f"{WIDGETS}/st/status", body)
    send(s, "PATCH", f"{WIDGETS}/st/status", {"status": {"replicas": 3}, "spec": {"replicas": 99}}, MERGE)
    send(s, "PATCH", f"{WIDGETS}/st", {"status": {"replicas": 4}, "spec": {"size": 99}}, MERGE)
    send(s, "PATCH", f"{WIDGETS}/st", {"spec": {"size": 99}}, MERGE)
    send(s, "PUT", f"{WIDGETS}/absent/status", widget(metadata={"name": "absent", "resourceVersion": "3"}))
    send(s, "PATCH", f"{WIDGETS}/absent/status?fieldManager=x", widget("absent"), APPLY)
    send(s, "POST", DEPLOYMENTS, complete_deployment("st"))
    metadata = {"name": "st", "labels": {"x": "y"}, "annotations": {"q": "r"}}
    send(s, "PUT", f"{DEPLOYMENTS}/st/status", {"metadata": metadata, "status": {"replicas": 2}})
    send(s, "PATCH", f"{DEPLOYMENTS}/st", {"metadata": {"annotations": {"a": "b"}}}, STRATEGIC)
    container = {"name": "c", "image": "other"}
    send(s, "PATCH", f"{DEPLOYMENTS}/st", {"spec": {"template": {"spec": {"containers": [container]}}}}, STRATEGIC)
    send(s, "DELETE", f"{DEPLOYMENTS}/st?propagationPolicy=Foreground")
    quota = {"metadata": {"name": "rq"}, "spec": {"hard": {"pods": "1000m"}}, "status": {"hard": {"pods": "3"}}}
    path = f"{HERE}/resourcequotas"
    send(s, "POST", path, quota)
    send(s, "PATCH", f"{path}/rq", {"status": {"hard": {"pods": "4"}}}, MERGE)
    change = {"status": {"hard": {"pods": "1"}, "used": {"pods": "0"}}, "spec": {"hard": {"pods": "77"}}}
    send(s, "PATCH", f"{path}/rq/status", {**change, "metadata": {"labels": {"x": "y"}}}, MERGE)
    send(s, "PATCH", f"{path}/rq", {"status": None}, MERGE)
    send(s, "DELETE", f"{path}/rq")


@case("status")
def _(s: Script) -> None:
    s.given(WIDGET_CRD)
    _status(s)
