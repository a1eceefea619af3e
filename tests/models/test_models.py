"""The built-in kinds as classes."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import pytest

from konverge import models
from konverge.api.kind import GroupVersionKind
from konverge.api.markers import ListAtomic, ListMap, ListSet, MapAtomic, PatchMerge
from konverge.api.model import Model, decoder, model_fields
from konverge.api.object import write
from konverge.api.time import MicroTime
from konverge.models import (
    apiextensions_v1,
    apps_v1,
    authentication_v1,
    coordination_v1,
    core_v1,
    meta_v1,
    networking_v1,
)

ROOT = Path(__file__).parent.parent.parent


def parts(kind: Any) -> Iterator[Any]:
    """Yield everything that a type is made of, markers included."""
    for part in get_args(kind):
        yield part
        yield from parts(part)


def loaded_by(statement: str) -> list[str]:
    """Return the modules of konverge.models that a fresh Python has after a statement."""
    program = (
        f"import json, sys; {statement}; print(json.dumps([n for n in sys.modules if n.startswith('konverge.models')]))"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    found: list[str] = json.loads(result.stdout)
    return found


def test_modules_are_loaded_when_asked_for() -> None:
    """Neither konverge nor konverge.models loads a module of kinds, and finding one loads that one."""
    assert [name for name in loaded_by("import konverge") if "_v" in name] == []
    assert loaded_by("import konverge.models, konverge.models as m; list(m.kinds())")[1:] == ["konverge.models._index"]
    find = "from konverge.models import find; from konverge.api.kind import GroupVersionKind as G"
    loaded = loaded_by(f"{find}; find(G('coordination.k8s.io', 'v1', 'Lease'))")
    assert "konverge.models.coordination_v1" in loaded
    assert "konverge.models.core_v1" not in loaded


def test_what_all_groups_share_is_named_as_in_go() -> None:
    """A Deployment's selector is meta_v1's; the one that a list is asked by is konverge's own."""
    selector = meta_v1.LabelSelector(match_labels={"app": "web"})
    assert write(apps_v1.Deployment(spec=apps_v1.DeploymentSpec(selector=selector))).endswith(
        b'"spec":{"selector":{"matchLabels":{"app":"web"}}}}'
    )


def test_every_kind_is_found_and_can_be_decoded() -> None:
    """The index names existing classes, each knows its own kind, and msgspec accepts all their types."""
    for gvk in models.kinds():
        found = models.find(gvk)
        assert found is not None
        assert found.__resource__.group_version_kind == gvk
        assert isinstance(decoder(found).decode(b"{}"), found)


def test_other_kinds_are_not_found() -> None:
    """An unknown group, version or kind is None, not an error."""
    assert models.find(GroupVersionKind("apps", "v1", "Deployments")) is None
    assert models.find(GroupVersionKind("apps", "v0", "Deployment")) is None
    assert models.find(GroupVersionKind("example.com", "v1", "Deployment")) is None


@pytest.mark.parametrize(
    ("cls", "attribute", "wire"),
    [
        (core_v1.ServiceSpec, "cluster_ip", "clusterIP"),
        (core_v1.ServiceSpec, "cluster_ips", "clusterIPs"),
        (core_v1.ServiceSpec, "external_ips", "externalIPs"),
        (core_v1.ServiceSpec, "load_balancer_ip", "loadBalancerIP"),
        (core_v1.NodeSpec, "pod_cidr", "podCIDR"),
        (core_v1.NodeSpec, "pod_cidrs", "podCIDRs"),
        (core_v1.PodSpec, "host_pid", "hostPID"),
        (core_v1.PodSpec, "set_hostname_as_fqdn", "setHostnameAsFQDN"),
        (core_v1.PodStatus, "pod_ips", "podIPs"),
        (core_v1.PodStatus, "qos_class", "qosClass"),
        (core_v1.PodSecurityContext, "fs_group", "fsGroup"),
        (core_v1.NodeSystemInfo, "system_uuid", "systemUUID"),
        (networking_v1.NetworkPolicyPeer, "ip_block", "ipBlock"),
        (networking_v1.NetworkPolicyIngressRule, "from_", "from"),
        (apiextensions_v1.JSONSchemaProps, "ref", "$ref"),
        (apiextensions_v1.JSONSchemaProps, "not_", "not"),
        (apiextensions_v1.JSONSchemaProps, "x_kubernetes_list_type", "x-kubernetes-list-type"),
    ],
)
def test_wire_names(cls: type[Any], attribute: str, wire: str) -> None:
    """Attributes are snake_case; on the wire stands what the server expects."""
    assert dict(zip(cls.__struct_fields__, cls.__struct_encode_fields__, strict=True))[attribute] == wire


@pytest.mark.parametrize(
    ("cls", "attribute", "markers"),
    [
        (core_v1.PodSpec, "containers", {ListMap("name"), PatchMerge("name")}),
        (core_v1.PodSpec, "tolerations", {ListAtomic()}),
        (core_v1.PodSpec, "volumes", {ListMap("name"), PatchMerge("name", ("merge", "retainKeys"))}),
        (core_v1.PodSpec, "node_selector", {MapAtomic()}),
        (
            core_v1.Container,
            "ports",
            {ListMap("containerPort", "protocol", protocol="TCP"), PatchMerge("containerPort")},
        ),
        (core_v1.ServiceSpec, "ports", {ListMap("port", "protocol", protocol="TCP"), PatchMerge("port")}),
        (core_v1.ServiceSpec, "cluster_ips", {ListAtomic()}),
        (core_v1.EnvVarSource, "secret_key_ref", {MapAtomic()}),
        (core_v1.NodeSpec, "pod_cidrs", {ListSet(), PatchMerge()}),
        (apps_v1.DeploymentSpec, "strategy", {PatchMerge(None, ("retainKeys",))}),
        (apps_v1.DeploymentSpec, "selector", {MapAtomic()}),
        (apps_v1.DeploymentStatus, "conditions", {ListMap("type"), PatchMerge("type")}),
    ],
)
def test_list_types_and_merge_keys(cls: type[Model], attribute: str, markers: set[Any]) -> None:
    """What the schema says about lists, maps and patches is on the attribute, and nothing else is."""
    (kind,) = [info.type for info in model_fields(cls) if info.name == attribute]
    marker_types = (ListMap, ListSet, ListAtomic, MapAtomic, PatchMerge)
    assert {part for part in parts(kind) if isinstance(part, marker_types)} == markers


def test_credentials_are_not_shown() -> None:
    """The values of a Secret and tokens never reach a repr."""
    secret = core_v1.Secret(data={"a": b"hunter2"}, string_data={"b": "hunter2"})
    token = authentication_v1.TokenRequest.from_dict({"status": {"token": "hunter2"}})
    review = authentication_v1.TokenReview.from_dict({"spec": {"token": "hunter2"}})
    assert "hunter2" not in f"{secret!r}{token!r}{review!r}"
    assert json.loads(write(secret))["data"] == {"a": "aHVudGVyMg=="}


def test_times_have_their_types() -> None:
    """A lease's times keep six digits of a second, other times none."""
    metadata, spec = {"creationTimestamp": "2026-01-02T03:04:05Z"}, {"renewTime": "2026-01-02T03:04:05.000000Z"}
    lease = coordination_v1.Lease.from_dict({"metadata": metadata, "spec": spec})
    assert lease.metadata.creation_timestamp == datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    assert isinstance(lease.spec.renew_time, MicroTime)
    lease.spec.renew_time = MicroTime.of(datetime(2026, 1, 2, 3, 4, 6, tzinfo=UTC))
    assert json.loads(write(lease))["spec"]["renewTime"] == "2026-01-02T03:04:06.000000Z"


def test_quantities_of_a_manifest_may_be_numbers() -> None:
    """What kubectl accepts can be read, and stays as it was written."""
    container = {"name": "a", "resources": {"limits": {"cpu": 2, "memory": "1.50Gi"}}}
    pod = core_v1.Pod.from_dict({"spec": {"containers": [container]}})
    assert pod.to_dict()["spec"]["containers"] == [container]


def test_a_new_object_is_what_its_author_says() -> None:
    """No defaults: a Deployment with one field sends one field."""
    deployment = apps_v1.Deployment()
    deployment.metadata.name = "web"
    deployment.spec.replicas = 0
    assert json.loads(write(deployment)) == {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {"name": "web"},
        "spec": {"replicas": 0},
    }


def test_a_schema_may_be_a_schema_or_something_else() -> None:
    """The parts of JSON schema that are one of two things read as the one that is there."""
    schema = {
        "items": {"type": "string"},
        "additionalProperties": False,
        "properties": {"a": {"items": [{"type": "string"}], "additionalProperties": {"type": "integer"}}},
        "dependencies": {"a": ["b"], "c": {"type": "string"}},
        "default": {"any": [None]},
    }
    data = {"spec": {"versions": [{"name": "v1", "schema": {"openAPIV3Schema": schema}}]}}
    crd = apiextensions_v1.CustomResourceDefinition.from_dict(data)
    assert crd.to_dict()["spec"] == data["spec"]
    found = (crd.spec.versions[0].schema or apiextensions_v1.CustomResourceValidation()).open_api_v3_schema
    assert found is not None
    assert isinstance(found.items, apiextensions_v1.JSONSchemaProps)
    assert found.additional_properties is False


def test_kinds_without_a_path_of_their_own() -> None:
    """Kinds that only subresources speak have no plural."""
    found = filter(None, map(models.find, models.kinds()))
    alone = {cls.__name__ for cls in found if not cls.__resource__.plural}
    assert alone == {"Eviction", "Scale", "TokenRequest"}
