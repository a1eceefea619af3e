"""Applies that are refused, and what random sequences seldom find: the real server and ours compared."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest

from konverge.cluster.apiserver.apply.custom import custom_field_managers
from konverge.testing import RealCluster

GROUP = "refusals.konverge.dev"
NAME = {"name": "e", "namespace": "default"}
TEXT = {"type": "string"}
APPLY = "application/apply-patch+yaml"
MERGE = "application/merge-patch+json"


def schema(relation: str) -> dict[str, Any]:
    """Return a schema whose struct is granular or atomic."""
    port = {
        "type": "object",
        "properties": {"port": {"type": "integer"}, "protocol": {**TEXT, "default": "TCP"}},
        "required": ["port"],
    }
    ports = {"type": "array", "items": port, "x-kubernetes-list-type": "map"}
    item = {
        "type": "object",
        "properties": {"name": TEXT, "ports": {**ports, "x-kubernetes-list-map-keys": ["port", "protocol"]}},
        "required": ["name"],
    }
    items = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    fields = {
        "text": TEXT,
        "whole": {"type": "integer"},
        "flag": {"type": "boolean"},
        "struct": {"type": "object", "properties": {"a": TEXT, "b": TEXT}, "x-kubernetes-map-type": relation},
        "texts": {"type": "array", "items": TEXT, "x-kubernetes-list-type": "set"},
        "items": items,
        "wholes": {"type": "array", "items": {"type": "integer"}, "x-kubernetes-list-type": "set"},
    }
    return {"type": "object", "properties": {"spec": {"type": "object", "properties": fields}}}


def definition(plural: str, versions: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return a CRD whose last version is the stored one."""
    kind = plural.removesuffix("s").capitalize()
    served = [
        {"name": name, "served": True, "storage": name == list(versions)[-1], "schema": {"openAPIV3Schema": found}}
        for name, found in versions.items()
    ]
    names = {"plural": plural, "singular": plural.removesuffix("s"), "kind": kind}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": served},
    }


def define(real_cluster: RealCluster, real: Any, crd: dict[str, Any]) -> str:
    """Define a custom resource, and return the path to its objects when it is served as defined."""
    real_cluster.kubectl("apply", "--server-side", "--force-conflicts", "-f", "-", input=json.dumps(crd))
    real_cluster.kubectl("wait", "--for=condition=Established", f"crd/{crd['metadata']['name']}")
    spec = crd["spec"]
    path = f"/apis/{GROUP}/{spec['versions'][-1]['name']}/namespaces/default/{spec['names']['plural']}"
    assert any(real.send("GET", path, None).code == 200 for _ in range(1000))
    return path


REFUSED: list[dict[str, Any]] = [
    {"spec": {"nope": 1}},
    {"spec": {"text": 1}},
    {"spec": {"text": {"a": [1, "x", None, 1.5, True]}}},
    {"spec": {"text": 1e30}},
    {"spec": {"whole": "x"}},
    {"spec": {"whole": [1]}},
    {"spec": {"whole": True}},
    {"spec": {"flag": "x"}},
    {"spec": {"flag": 1500000.5}},
    {"spec": {"struct": "x"}},
    {"spec": {"struct": ["x", 1, {"a": 1}, None]}},
    {"spec": {"texts": "x"}},
    {"spec": {"texts": {"a": 1}}},
    {"spec": {"texts": ["a", "a"]}},
    {"spec": {"texts": [{"a": 1}]}},
    {"spec": {"texts": [["a"]]}},
    {"spec": {"texts": [None]}},
    {"spec": {"texts": [1]}},
    {"spec": {"wholes": [1234567, 1234567]}},
    {"spec": {"items": [{"name": "a"}, {"name": "a"}]}},
    {"spec": {"items": [{"name": "a", "ports": [{"port": 1}, {"port": 1, "protocol": "TCP"}]}]}},
    {"spec": {"items": [{"ports": []}]}},
    {"spec": {"items": [None]}},
    {"spec": {"items": ["a"]}},
    {"spec": {"items": [{"name": "a", "ports": 1}, {"name": "b", "ports": 2}]}},
    {"spec": {"items": [{"name": {"a": 1}}]}},
    {"kind": "Other"},
    {"apiVersion": "apps/v1"},
    {"metadata": {**NAME, "managedFields": [{}]}},
    {"metadata": {**NAME, "managedFields": []}},
    {"metadata": {**NAME, "foo": 1}},
    {"metadata": {"name": "e"}, "spec": {"nope": 1}},
]


def test_applies_that_are_refused(real_cluster: RealCluster, real: Any, life: Callable[..., Any]) -> None:
    """What does not fit the schema, and what is for something else, fails in the same words."""
    crd = definition("refused", {"v1": schema("granular")})
    path = define(real_cluster, real, crd)
    fields = custom_field_managers(crd)["v1"]
    for wrong in REFUSED:
        one = life(0, path=path, name="e")
        patch = {"apiVersion": f"{GROUP}/v1", "kind": crd["spec"]["names"]["kind"], "metadata": NAME, **wrong}
        assert not one.check_apply(fields, one.send("PATCH", "fieldManager=m", patch, APPLY), patch, manager="m")


def test_a_schema_that_becomes_atomic(real_cluster: RealCluster, real: Any, life: Callable[..., Any]) -> None:
    """Owners of parts own the whole from then on."""
    path = define(real_cluster, real, definition("atomics", {"v1": schema("granular")}))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Atomic", "metadata": NAME}
    one = life(0, path=path, name="e")
    one.send("PATCH", "fieldManager=a", {**body, "spec": {"struct": {"a": "1"}}}, APPLY)
    one.live = one.send("PATCH", "fieldManager=b", {**body, "spec": {"struct": {"b": "1"}}}, APPLY).body
    crd = definition("atomics", {"v1": schema("atomic")})
    define(real_cluster, real, crd)
    fields = custom_field_managers(crd)["v1"]
    patch = {**body, "spec": {"struct": {"a": "2"}}}
    replies = (one.send("PATCH", "fieldManager=a&dryRun=All", patch, APPLY) for _ in range(1000))
    reply = next(
        reply for reply in replies if reply.body.get("message", "").endswith(".spec.struct")
    )  # served by the new schema
    assert not one.check_apply(fields, reply, patch, manager="a")
    reply = one.send("PATCH", "fieldManager=a&force=true", patch, APPLY)
    assert one.check_apply(fields, reply, patch, manager="a", force=True)["spec"] == reply.body["spec"]


def test_a_version_that_is_gone(real_cluster: RealCluster, real: Any, life: Callable[..., Any]) -> None:
    """An owner in a version that the CRD does not have any more makes an apply fail; an update forgets all owners."""
    both = {"v1alpha1": schema("granular"), "v1": schema("granular")}
    path = define(real_cluster, real, definition("versions", both))
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Version", "metadata": NAME, "spec": {"text": "a"}}
    one = life(0, path=path.replace("v1/", "v1alpha1/"), name="e")
    one.send("PATCH", "fieldManager=old", {**body, "apiVersion": f"{GROUP}/v1alpha1"}, APPLY)
    one.path = path
    one.live = one.send("PATCH", "fieldManager=new", {"spec": {"whole": 1}}, MERGE).body
    crd = definition("versions", {"v1": schema("granular")})
    real_cluster.call(
        "PUT",
        f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/versions.{GROUP}",
        at_version(real_cluster, crd),
    )
    # The server takes up the new definition in steps: it is through when the apply itself is judged by it.
    tried = (one.send("PATCH", "fieldManager=a&dryRun=All", body, APPLY) for _ in range(1000))
    assert any(reply.code == 500 for reply in tried)
    fields = custom_field_managers(crd)["v1"]
    assert not one.check_apply(fields, one.send("PATCH", "fieldManager=a", body, APPLY), body, manager="a")
    reply = one.send("PATCH", "fieldManager=new", {"spec": {"flag": True}}, MERGE)
    new = copy.deepcopy(one.live)
    new["spec"]["flag"] = True
    one.check_update(fields, reply.body, new, manager="new")


def at_version(real_cluster: RealCluster, crd: dict[str, Any]) -> dict[str, Any]:
    """Return a CRD that replaces the one that is there."""
    path = f"/apis/apiextensions.k8s.io/v1/customresourcedefinitions/{crd['metadata']['name']}"
    found = real_cluster.call("GET", path)
    return {**crd, "metadata": found["metadata"]}


@pytest.fixture
def things(real_cluster: RealCluster, real: Any) -> str:
    """Return the path to objects of a custom resource."""
    return define(real_cluster, real, THINGS)


THINGS = definition("things", {"v1": schema("granular")})


def test_many_updaters(life: Callable[..., Any], things: str) -> None:
    """The eleventh updater makes the oldest ones one."""
    fields = custom_field_managers(THINGS)["v1"]
    one = life(0, path=things, name="many")
    body = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {**NAME, "name": "many"}, "spec": {"text": "a"}}
    one.live = one.send("POST", "fieldManager=first", body).body
    for number in range(14):
        patch = {"metadata": {"labels": {f"l{number}": "x"}}}
        reply = one.send("PATCH", f"fieldManager=m{number:02}", patch, MERGE)
        new = copy.deepcopy(one.live)
        new["metadata"].setdefault("labels", {})[f"l{number}"] = "x"
        one.check_update(fields, reply.body, new, manager=f"m{number:02}")
        one.live = reply.body
    assert "ancient-changes" in [entry["manager"] for entry in one.live["metadata"]["managedFields"]]


def test_from_client_side_to_server_side_apply(
    real_cluster: RealCluster, life: Callable[..., Any], things: str
) -> None:
    """What client-side apply had set kubectl may take over, and the annotation is kept; what others set conflicts."""
    fields = custom_field_managers(THINGS)["v1"]
    one = life(0, path=things, name="ours")
    body: dict[str, Any] = {
        "apiVersion": f"{GROUP}/v1",
        "kind": "Thing",
        "metadata": {**NAME, "name": "ours"},
        "spec": {"text": "a", "whole": 1, "texts": ["<a>"]},
    }
    real_cluster.kubectl("apply", "-f", "-", input=json.dumps(body))
    one.live = one.send("PATCH", "fieldManager=other", {"spec": {"whole": 2}}, MERGE).body
    refused = {**body, "spec": {"text": "b", "whole": 3}}
    assert not one.check_apply(
        fields, one.send("PATCH", "fieldManager=kubectl", refused, APPLY), refused, manager="kubectl"
    )
    taken = {
        **body,
        "metadata": {**body["metadata"], "annotations": {"x": "<y>"}},
        "spec": {"text": "b", "texts": ["<a>"]},
    }
    reply = one.send("PATCH", "fieldManager=kubectl", taken, APPLY)
    ours = one.check_apply(fields, reply, taken, manager="kubectl")
    assert ours["metadata"]["annotations"] == reply.body["metadata"]["annotations"]
    assert ours["spec"] == reply.body["spec"]
