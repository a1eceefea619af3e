from __future__ import annotations

import json

import pytest

from konverge import metadata_only, unstructured
from konverge.api.kind import GroupVersion
from konverge.client.served import ServedKind, ServedKinds, read
from konverge.errors import DecodeError, NotFound
from konverge.models import apps_v1, core_v1
from konverge.testing import Cluster


async def test_everything_that_is_served_is_found(cluster: Cluster) -> None:
    """Each kind with its verbs, its scope and its subresources, on an embedded server as on a real one."""
    async with cluster.client() as client:
        served = await client.served_kinds()
    kinds = {str(kind.resource.group_version_resource): kind for kind in served.preferred()}
    deployments = kinds["apps/v1 deployments"]
    assert deployments.resource == apps_v1.Deployment.__resource__
    assert deployments.allows("delete", "list", "watch", "deletecollection")
    assert kinds["v1 pods"].resource.group_version_kind == core_v1.Pod.__resource__.group_version_kind
    assert "eviction" in kinds["v1 pods"].resource.subresources
    assert not kinds["v1 namespaces"].resource.namespaced
    assert not kinds["authorization.k8s.io/v1 subjectaccessreviews"].allows("list")
    assert served.failed == {}


async def test_a_resource_is_found_by_its_kind(cluster: Cluster) -> None:
    """Without a read of any object; a kind that is not served is not found."""
    async with cluster.client() as client:
        found = await client.resource_of(metadata_only(unstructured("apps/v1", "Deployment")))
        assert (found.plural, found.namespaced) == ("deployments", True)
        with pytest.raises(NotFound, match="does not serve kind"):
            await client.resource_of(unstructured("apps/v1", "Nothing"))


def document(*versions: tuple[str, str, list[str]]) -> bytes:
    """A discovery document of one group: versions, how fresh each is, and its resources."""

    def resource(name: str) -> dict[str, object]:
        return {"resource": name, "responseKind": {"kind": name.title()}, "scope": "Cluster", "verbs": ["list"]}

    listed = [
        {"version": version, "freshness": fresh, "resources": [resource(name) for name in names]}
        for version, fresh, names in versions
    ]
    group = {"metadata": {"name": "test.konverge.dev"}, "versions": listed}
    return json.dumps({"kind": "APIGroupDiscoveryList", "items": [group]}).encode()


def taken(body: bytes) -> ServedKinds:
    """What a document says."""
    kinds: list[ServedKind] = []
    failed: dict[GroupVersion, str] = {}
    read(body, kinds, failed)
    return ServedKinds(tuple(kinds), failed)


def test_a_resource_is_preferred_in_the_first_version_that_has_it() -> None:
    """The server's order counts; what only an old version has is there in that one."""
    served = taken(document(("v2", "Current", ["a"]), ("v1", "Current", ["a", "b"])))
    assert [str(kind.resource.group_version_resource) for kind in served.preferred()] == [
        "test.konverge.dev/v2 a",
        "test.konverge.dev/v1 b",
    ]


def test_a_version_whose_server_is_away_is_named() -> None:
    """What it serves is not known, which is not the same as nothing."""
    served = taken(document(("v1", "Stale", ["a"])))
    assert served.kinds == ()
    where = GroupVersion("test.konverge.dev", "v1")
    assert served.failed == {where: "stale GroupVersion discovery: test.konverge.dev/v1"}


def test_a_server_that_is_too_old_is_an_error_that_says_so() -> None:
    """It would answer with the first form of discovery."""
    with pytest.raises(DecodeError, match=r"answered discovery with a APIGroupList.*1\.30"):
        taken(b'{"kind": "APIGroupList", "groups": []}')
