from __future__ import annotations

import pytest

from konverge.cluster.apiserver.builtin import catalogue
from konverge.cluster.apiserver.builtin.schemas import schemas
from konverge.cluster.apiserver.resource import Resource
from konverge.cluster.apiserver.strategy import Strategy


def found(group: str, version: str, plural: str) -> Resource:
    """Return one of the built-in resources."""
    everything = catalogue.resources(lambda *_: Strategy())
    return next(each for each in everything if (each.group, each.version, each.plural) == (group, version, plural))


def test_every_kind_that_is_served_has_a_schema() -> None:
    """What can be written can be looked up, by group, version and kind."""
    for resource in catalogue.resources(lambda *_: Strategy()):
        schema = catalogue.schema_of(resource.group, resource.version, resource.kind)
        assert schema is not None, resource.kind
        assert schema.root["type"] == "object"


def test_a_resource_says_what_discovery_says() -> None:
    """The fields of a Resource come from the captured lines."""
    deployments = found("apps", "v1", "deployments")
    assert (deployments.kind, deployments.singular, deployments.list_kind) == (
        "Deployment",
        "deployment",
        "DeploymentList",
    )
    assert (deployments.short_names, deployments.categories) == (("deploy",), ("all",))
    assert deployments.has_status
    assert deployments.scale is not None
    assert deployments.other_subresources == ()
    assert deployments.namespaced


def test_subresources_name_the_kind_they_speak() -> None:
    """An eviction belongs to another group than its pod."""
    below = {each.name: each for each in catalogue.subresources("", "v1", "pods")}
    assert (below["eviction"].group, below["eviction"].version, below["eviction"].kind) == ("policy", "v1", "Eviction")
    assert (below["status"].group, below["status"].version, below["status"].kind) == ("", "v1", "Pod")
    assert below["log"].verbs == ("get",)


def test_references_are_followed() -> None:
    """A path through schemas of two packages, by plain references and by those with a default."""
    deployment = catalogue.schema_of("apps", "v1", "Deployment")
    assert deployment is not None
    step = deployment.root
    for name in ("spec", "template", "spec"):
        step = deployment.resolve(step["properties"][name])
    assert step["properties"]["containers"]["x-kubernetes-list-map-keys"] == ["name"]
    assert (
        deployment.resolve(deployment.resolve(step["properties"]["containers"]["items"]))
        is schemas()["io.k8s.api.core.v1.Container"]
    )


def test_what_is_not_there_is_none() -> None:
    """An unknown kind has no schema, an unknown schema is a KeyError with its whole name."""
    assert catalogue.schema_of("apps", "v1", "Nothing") is None
    assert catalogue.api_resources("nothing", "v1") == ()
    with pytest.raises(KeyError, match=r"io\.k8s\.api\.core\.v1\.Nothing"):
        schemas()["io.k8s.api.core.v1.Nothing"]
    with pytest.raises(KeyError, match=r"no\.such\.Package"):
        schemas()["no.such.Package"]


def test_all_schemas_are_listed() -> None:
    """The mapping knows its names without decoding any schema."""
    assert "io.k8s.api.core.v1.Pod" in list(schemas())
    assert len(schemas()) == len(set(schemas()))


def test_kinds_are_stored_in_one_version() -> None:
    """Autoscalers of both versions are the same objects; events of both groups too."""
    assert found("autoscaling", "v1", "horizontalpodautoscalers").storage_version == "v2"
    assert found("apps", "v1", "deployments").storage_version == "v1"
    assert catalogue.storage_group("events.k8s.io", "events") == ""
    assert catalogue.storage_group("apps", "deployments") == "apps"


def test_deprecated_kinds_carry_their_warning() -> None:
    """As the real server words it."""
    warning = "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice"
    assert found("", "v1", "endpoints").deprecation == warning
    assert found("", "v1", "pods").deprecation == ""


def test_field_selectors_point_at_fields() -> None:
    """A selector may have another name than its field."""
    pods = found("", "v1", "pods").selectable_fields
    assert pods["spec.host"] == "spec.nodeName"
    assert pods["status.phase"] == "status.phase"
    assert found("batch", "v1", "jobs").selectable_fields == {"status.successful": "status.succeeded"}
    assert found("apps", "v1", "deployments").selectable_fields == {}


def test_the_version_is_a_copy() -> None:
    """Who changes it changes nothing here."""
    catalogue.version()["major"] = "0"
    assert catalogue.version()["major"] == "1"
    assert catalogue.version()["minor"] == "36"
