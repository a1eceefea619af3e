from __future__ import annotations

import pytest

from konverge.api.kind import (
    GroupKind,
    GroupResource,
    GroupVersion,
    GroupVersionKind,
    GroupVersionResource,
    ObjectKey,
    Resource,
)

DEPLOYMENT = Resource(
    group="apps", version="v1", kind="Deployment", plural="deployments", namespaced=True, subresources=("scale",)
)


def test_group_version_reads_an_api_version() -> None:
    """The core group has no name."""
    assert GroupVersion.parse("apps/v1") == GroupVersion("apps", "v1")
    assert GroupVersion.parse("v1") == GroupVersion("", "v1")
    assert [str(GroupVersion("apps", "v1")), str(GroupVersion("", "v1"))] == ["apps/v1", "v1"]


@pytest.mark.parametrize("text", ["", "/", "/v1", "apps/", "a/b/c"])
def test_a_bad_api_version_is_refused(text: str) -> None:
    """The message quotes it."""
    with pytest.raises(ValueError, match="is not an apiVersion"):
        GroupVersion.parse(text)


def test_a_kind_knows_its_parts() -> None:
    """Each value gives the smaller ones it contains."""
    kind = GroupVersionKind.parse("apps/v1", "Deployment")
    assert kind == DEPLOYMENT.group_version_kind == GroupVersionKind("apps", "v1", "Deployment")
    assert kind.group_version == GroupVersion("apps", "v1")
    assert kind.group_kind == GroupKind("apps", "Deployment")
    assert kind.api_version == DEPLOYMENT.api_version == "apps/v1"
    assert GroupVersionKind("", "v1", "Pod").api_version == "v1"
    with pytest.raises(ValueError, match="has no kind"):
        GroupVersionKind.parse("v1", "")


def test_a_resource_knows_its_parts() -> None:
    """URLs and rules get the form they use."""
    resource = DEPLOYMENT.group_version_resource
    assert resource == GroupVersionResource("apps", "v1", "deployments")
    assert resource.group_version == GroupVersion("apps", "v1")
    assert resource.group_resource == DEPLOYMENT.group_resource == GroupResource("apps", "deployments")
    assert resource.api_version == "apps/v1"


def test_values_print_as_people_write_them() -> None:
    """Errors and logs use str()."""
    assert str(DEPLOYMENT) == str(DEPLOYMENT.group_version_kind) == "apps/v1 Deployment"
    assert str(DEPLOYMENT.group_version_resource) == "apps/v1 deployments"
    assert [str(GroupKind("apps", "Deployment")), str(GroupKind("", "Pod"))] == ["Deployment.apps", "Pod"]
    assert [str(GroupResource("apps", "x")), str(GroupResource("", "pods"))] == ["x.apps", "pods"]
    assert [str(ObjectKey("a", "b")), str(ObjectKey("", "b"))] == ["a/b", "b"]


def test_object_keys_read_back() -> None:
    """A key is its text."""
    assert ObjectKey.parse("a/b") == ObjectKey("a", "b")
    assert ObjectKey.parse("b") == ObjectKey("", "b")
    for text in ("", "/", "/b", "a/", "a/b/c"):
        with pytest.raises(ValueError, match="is not an object's key"):
            ObjectKey.parse(text)


def test_values_are_frozen_hashable_and_ordered() -> None:
    """They serve as keys and sort by their parts, but never equal another type."""
    assert min(ObjectKey("b", "a"), ObjectKey("a", "b"), ObjectKey("a", "a")) == ObjectKey("a", "a")
    assert len({ObjectKey("a", "b"), ObjectKey("a", "b"), DEPLOYMENT, DEPLOYMENT.group_version_kind}) == 3
    assert len({GroupKind("a", "b"), GroupResource("a", "b")}) == 2
    with pytest.raises(AttributeError):
        DEPLOYMENT.kind = "Pod"  # type: ignore[misc]  # the refusal is what is tested
