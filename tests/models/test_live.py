"""The built-in kinds against a real API server."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from konverge import models
from konverge.api import meta
from konverge.api.kind import GroupVersionKind
from konverge.api.model import Model
from konverge.api.object import Object, read, write
from konverge.errors import Conflict
from konverge.testing import Cluster, RealCluster

ROOT = Path(__file__).parent.parent.parent
CONTAINER = {
    "name": "web",
    "image": "web:1",
    "ports": [{"containerPort": 80}, {"containerPort": 80, "protocol": "UDP", "hostIP": "127.0.0.1"}],
    "env": [{"name": "A", "value": "b"}, {"name": "IP", "valueFrom": {"fieldRef": {"fieldPath": "status.podIP"}}}],
    "resources": {"limits": {"cpu": "1500m", "memory": "1.5Gi"}},
    "livenessProbe": {"httpGet": {"port": "http", "path": "/", "httpHeaders": [{"name": "a", "value": "b"}]}},
    "securityContext": {"runAsNonRoot": True},
}
TEMPLATE = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [CONTAINER], "hostPID": True}}
BLOCK = {"cidr": "10.0.0.0/8", "except": ["10.1.0.0/16"]}
SCHEMA = {
    "type": "object",
    "properties": {"spec": {"type": "object", "additionalProperties": {"type": "string"}, "default": {"a": "b"}}},
}
OBJECTS: list[tuple[str, dict[str, Any]]] = [
    ("/api/v1/namespaces/{namespace}/pods", {"apiVersion": "v1", "kind": "Pod", "spec": TEMPLATE["spec"]}),
    (
        "/apis/apps/v1/namespaces/{namespace}/deployments",
        {
            "apiVersion": "apps/v1",
            "kind": "Deployment",
            "spec": {
                "selector": {"matchLabels": {"app": "web"}},
                "template": TEMPLATE,
                "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 1}},
            },
        },
    ),
    (
        "/api/v1/namespaces/{namespace}/services",
        {
            "apiVersion": "v1",
            "kind": "Service",
            "spec": {"type": "NodePort", "ports": [{"port": 80, "targetPort": "http"}], "selector": {"app": "web"}},
        },
    ),
    (
        "/api/v1/nodes",
        {"apiVersion": "v1", "kind": "Node", "spec": {"podCIDR": "10.1.0.0/24", "podCIDRs": ["10.1.0.0/24"]}},
    ),
    (
        "/apis/networking.k8s.io/v1/namespaces/{namespace}/networkpolicies",
        {
            "apiVersion": "networking.k8s.io/v1",
            "kind": "NetworkPolicy",
            "spec": {
                "podSelector": {"matchExpressions": [{"key": "a", "operator": "In", "values": ["b"]}]},
                "ingress": [{"from": [{"ipBlock": BLOCK}], "ports": [{"port": "http"}]}],
                "policyTypes": ["Ingress"],
            },
        },
    ),
    (
        "/apis/apiextensions.k8s.io/v1/customresourcedefinitions",
        {
            "apiVersion": "apiextensions.k8s.io/v1",
            "kind": "CustomResourceDefinition",
            "metadata": {"name": "trips.round.example.com"},
            "spec": {
                "group": "round.example.com",
                "scope": "Cluster",
                "names": {"kind": "Trip", "plural": "trips"},
                "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": SCHEMA}}],
            },
        },
    ),
]


@pytest.mark.parametrize(("path", "manifest"), OBJECTS, ids=[manifest["kind"] for _, manifest in OBJECTS])
def test_round_trip(cluster: Cluster, namespace: str, path: str, manifest: dict[str, Any]) -> None:
    """What the server stored is read and sent back whole, and the server sees a change of one label, no more."""
    named = {"metadata": {"name": "web"}} | manifest
    path = path.format(namespace=namespace)
    place = f"{path}/{named['metadata']['name']}"
    cluster.call("POST", path, named)
    try:
        stored, updated = changed(cluster, place, class_of(manifest))
        assert updated["metadata"]["labels"]["changed"] == "yes"
        assert updated["spec"] == stored["spec"]
    finally:
        cluster.call("DELETE", place)


def changed(cluster: Cluster, place: str, cls: type[Object]) -> tuple[Any, Any]:
    """Read an object, send it back with one more label, and return it before and after."""
    while True:
        stored = cluster.call("GET", place)
        found = read(cls, json.dumps(stored).encode())
        assert json.loads(write(found)) == stored
        found.metadata.labels = {**(found.metadata.labels or {}), "changed": "yes"}
        try:
            return stored, cluster.call("PUT", f"{place}?fieldValidation=Strict", json.loads(write(found)))
        except Conflict:  # a CRD is written by the server's own controllers, too
            continue


def class_of(manifest: dict[str, Any]) -> type[Object]:
    """Return the class that an object says it is of."""
    found = models.find(GroupVersionKind.parse(manifest["apiVersion"], manifest["kind"]))
    assert found is not None
    return found


def group_versions(cluster: Cluster) -> dict[str, str]:
    """Return the discovery path of each group and version that Kubernetes itself serves."""
    groups = cluster.call("GET", "/apis")["groups"]
    served = [version["groupVersion"] for group in groups for version in group["versions"]]
    own = [name for name in served if "." not in name or name.partition("/")[0].endswith(".k8s.io")]
    return {"v1": "/api/v1", **{name: f"/apis/{name}" for name in own}}


def test_discovery_agrees(cluster: Cluster) -> None:
    """Every kind that the server serves has a class with the same plural, scope and subresources."""
    for group_version, path in group_versions(cluster).items():
        resources = cluster.call("GET", path)["resources"]
        names = [resource["name"] for resource in resources]
        for resource in resources:
            if "/" not in resource["name"]:
                found = models.find(GroupVersionKind.parse(group_version, resource["kind"]))
                assert found is not None, f"{group_version} {resource['kind']}"
                assert found.__resource__.plural == resource["name"]
                assert found.__resource__.namespaced == resource["namespaced"]
                prefix = f"{resource['name']}/"
                served = {name.removeprefix(prefix) for name in names if name.startswith(prefix)}
                assert served <= set(found.__resource__.subresources), resource["name"]


def test_shared_types_have_the_fields_of_the_server(cluster: Cluster) -> None:
    """The metadata types, which are written by hand, know every field that the server's schema has, and no other."""
    prefix = "io.k8s.apimachinery.pkg.apis.meta.v1."
    paths = cluster.call("GET", "/openapi/v3")["paths"]
    schemas = cluster.call("GET", paths["apis/apps/v1"]["serverRelativeURL"])["components"]["schemas"]
    for name, schema in schemas.items():
        cls = getattr(meta, name.removeprefix(prefix), None)
        if isinstance(cls, type) and issubclass(cls, Model):
            assert set(cls.__struct_encode_fields__) == set(schema["properties"]), name


def generator() -> ModuleType:
    """Load the tool that writes src/konverge/models."""
    spec = importlib.util.spec_from_file_location("generate_models", ROOT / "tools" / "generate_models.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_models_are_those_of_the_server(real_cluster: RealCluster) -> None:
    """Generating anew from a server with everything turned on gives the files of the repository, byte for byte."""
    tool = generator()
    # Skips as the others do where there are no programs; the server here is one of its own.
    assert real_cluster.processes
    files = tool.generate()
    there = {path.name: path.read_text(encoding="utf-8") for path in tool.MODELS.glob("*.py")}
    committed = {name: source for name, source in there.items() if tool.GENERATED in source}
    assert sorted(there.keys() - committed) == ["__init__.py", "meta_v1.py"]  # written by hand
    assert sorted(files) == sorted(committed)
    assert [name for name, source in files.items() if committed[name] != source] == []
