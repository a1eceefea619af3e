"""What the server itself does with CRDs: their names, their conditions, what is served, and their end."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from konverge.api.json_value import json_copy
from konverge.cluster.apiserver.crd.controller import CrdController


def _definition(plural: str, own_kind: str, **more: Any) -> dict[str, Any]:
    names = {"plural": plural, "kind": own_kind, **more.pop("names", {})}
    schema = {"openAPIV3Schema": {"type": "object", "properties": {"spec": {"type": "object"}}}}
    versions = more.pop("versions", [{"name": "v1", "served": True, "storage": True, "schema": schema}])
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions, **more}
    metadata = {"name": f"{plural}.example.com", "uid": plural}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": metadata,
        "spec": spec,
    }


def _told(crd: dict[str, Any]) -> dict[str, tuple[str, str]]:
    return {one["type"]: (one["status"], one["reason"]) for one in crd["status"]["conditions"]}


def _served(server: Any) -> list[str]:
    return [f"{one.plural}/{one.version}" for one in server.resources]


async def test_a_new_definition_is_established_while_its_answer_shows_no_conditions(server: Any) -> None:
    """The client reads an empty status; behind it the names are accepted, then the kind is served."""
    answer = await server.create(_definition("things", "Thing", names={"shortNames": ["th"], "categories": ["all"]}))
    assert answer["status"] == {
        "conditions": None,
        "acceptedNames": {"plural": "", "kind": ""},
        "storedVersions": ["v1"],
    }
    crd = server.crds["things.example.com"]
    assert _told(crd) == {"NamesAccepted": ("True", "NoConflicts"), "Established": ("True", "InitialNamesAccepted")}
    assert crd["status"]["acceptedNames"] == crd["spec"]["names"]
    assert (
        server.requests == ["PUT /apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.example.com/status"] * 2
    )
    found = server.resources.find("example.com", "v1", "things")
    assert found is not None
    assert (found.kind, found.list_kind, found.short_names, found.categories) == (
        "Thing",
        "ThingList",
        ("th",),
        ("all",),
    )


async def test_a_name_that_is_taken_is_not_accepted_until_it_is_free(server: Any) -> None:
    """Of two CRDs with one kind the second waits; it is served when the first is gone."""
    await server.create(_definition("things", "Thing", names={"shortNames": ["th"]}))
    await server.create(_definition("others", "Thing", names={"shortNames": ["th", "ot"]}))
    other = server.crds["others.example.com"]
    assert _told(other) == {"NamesAccepted": ("False", "ListKindConflict"), "Established": ("False", "NotAccepted")}
    assert other["status"]["acceptedNames"] == {"plural": "others", "kind": ""}
    assert _served(server) == ["things/v1"]
    await server.delete("things.example.com")
    assert _told(server.crds["others.example.com"])["Established"] == ("True", "InitialNamesAccepted")
    assert _served(server) == ["others/v1"]


async def test_new_names_are_accepted_without_losing_the_old(server: Any) -> None:
    """A change of names is taken over; one that is taken leaves the accepted names and the service as they were."""
    await server.create(_definition("things", "Thing"))
    await server.create(_definition("others", "Other"))
    names = {"plural": "others", "kind": "Other", "singular": "other", "listKind": "OtherList"}
    await server.update("others.example.com", names={**names, "shortNames": ["o"]})
    assert server.crds["others.example.com"]["status"]["acceptedNames"]["shortNames"] == ["o"]
    await server.update("others.example.com", names={**names, "shortNames": ["things"]})
    crd = server.crds["others.example.com"]
    assert _told(crd) == {
        "NamesAccepted": ("False", "ShortNamesConflict"),
        "Established": ("True", "InitialNamesAccepted"),
    }
    assert crd["status"]["acceptedNames"]["shortNames"] == ["o"]
    assert _served(server) == ["things/v1", "others/v1"]


async def test_versions_come_and_go_with_the_spec(server: Any) -> None:
    """A version that is added is served at once, one that is no longer served is gone at once."""
    crd = _definition("things", "Thing")
    first = crd["spec"]["versions"][0]
    await server.create(crd)
    second = {**first, "name": "v2", "storage": False}
    await server.update("things.example.com", versions=[first, second])
    assert _served(server) == ["things/v1", "things/v2"]
    await server.update("things.example.com", versions=[{**first, "served": False}, second])
    assert _served(server) == ["things/v2"]


async def test_a_deleted_definition_takes_its_objects_along(server: Any) -> None:
    """Objects are deleted namespace by namespace, then the definition goes, and nothing is served."""
    await server.create(_definition("things", "Thing"))
    server.objects = {
        f"{namespace}/one": {"metadata": {"name": "one", "namespace": namespace}} for namespace in ("a", "b")
    }
    await server.delete("things.example.com")
    assert server.objects == {}
    assert server.crds == {}
    assert _served(server) == []
    assert [one for one in server.requests if one.startswith("DELETE")] == [
        "DELETE /apis/example.com/v1/namespaces/a/things",
        "DELETE /apis/example.com/v1/namespaces/b/things",
    ]


async def test_an_object_with_finalizers_holds_its_definition(server: Any) -> None:
    """Until the last object is gone the definition is terminating, and nothing new can be created."""
    await server.create(_definition("things", "Thing"))
    held = {"metadata": {"name": "one", "namespace": "a", "finalizers": ["example.com/hold"]}}
    server.objects = {"a/one": held}
    await server.delete("things.example.com")
    assert _told(server.crds["things.example.com"])["Terminating"] == ("True", "InstanceDeletionInProgress")
    found = server.resources.find("example.com", "v1", "things")
    assert found is not None
    assert found.strategy.refuses_create == "create not allowed while custom resource definition is terminating"
    await server.remove_object("a/one")
    assert server.crds == {}


async def test_a_definition_that_was_never_established_goes_at_once(server: Any) -> None:
    """There are no objects to look for."""
    await server.create(_definition("things", "Thing"))
    await server.create(_definition("others", "Thing"))
    await server.delete("others.example.com")
    assert list(server.crds) == ["things.example.com"]


async def test_a_status_write_that_meets_a_newer_version_is_done_again(server: Any) -> None:
    """A conflict is answered by another look."""
    server.conflicts = 2
    await server.create(_definition("things", "Thing"))
    assert _told(server.crds["things.example.com"])["Established"] == ("True", "InitialNamesAccepted")


async def test_a_start_serves_what_is_stored_and_finishes_what_was_under_way(server: Any) -> None:
    """After a restart kinds are served at once, and a CRD without conditions gets them."""
    await server.create(_definition("things", "Thing"))
    half_done = _definition("others", "Other")
    server.strategy.default(half_done)
    server.strategy.prepare_for_create(half_done)
    server.crds["others.example.com"] = half_done
    for resource in server.resources:
        server.resources.remove(resource.group, resource.version, resource.plural)
    server.controller = CrdController(server.resources, server.handle)
    await server.controller.start([json_copy(crd) for crd in server.crds.values()])
    assert _served(server) == ["things/v1", "others/v1"]


async def test_a_client_that_goes_away_leaves_nothing_half_done(server: Any) -> None:
    """The work goes on when the request that led to it is cancelled."""
    task = asyncio.create_task(server.create(_definition("things", "Thing")))
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    for _ in range(20):
        await asyncio.sleep(0)
    assert _told(server.crds["things.example.com"])["Established"] == ("True", "InitialNamesAccepted")
    await server.controller.close()


async def test_a_protected_group_tells_whether_it_was_approved(server: Any) -> None:
    """The annotation becomes a condition, and the condition follows it."""
    crd = _definition("things", "Thing", group="example.k8s.io")
    crd["metadata"] |= {"name": "things.example.k8s.io", "annotations": {"api-approved.kubernetes.io": "unapproved"}}
    await server.create(crd)
    kind = "KubernetesAPIApprovalPolicyConformant"
    assert _told(server.crds["things.example.k8s.io"])[kind] == ("False", "UnapprovedAnnotation")


async def test_a_webhook_with_a_bad_bundle_is_not_established(server: Any) -> None:
    """The names are accepted, but the kind waits for a bundle that can be read."""
    client = {"url": "https://example.com", "caBundle": "YWJj"}
    webhook = {"conversionReviewVersions": ["v1"], "clientConfig": client}
    await server.create(_definition("things", "Thing", conversion={"strategy": "Webhook", "webhook": webhook}))
    assert _told(server.crds["things.example.com"])["Established"] == ("False", "InvalidCABundle")
    await server.update("things.example.com", conversion={"strategy": "None"})
    assert _told(server.crds["things.example.com"])["Established"] == ("True", "InitialNamesAccepted")
