from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.api.kind import GroupVersion
from konverge.client.discovery import resources_in
from konverge.errors import DecodeError, NotFound
from konverge.models import apiextensions_v1
from konverge.testing.scripted import Answer, Fail, ScriptedTransport, page

if TYPE_CHECKING:
    from tests.client.conftest import Recorder

DEFINITION: dict[str, Any] = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": "oxen.late.konverge.dev"},
    "spec": {
        "group": "late.konverge.dev",
        "scope": "Cluster",
        "names": {"kind": "Ox", "plural": "oxen"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


async def test_a_kind_that_arrives_later(client: kv.Client) -> None:
    """A kind is NotFound, with the remedy, until its definition is served; then it works at once."""
    ox = kv.unstructured("late.konverge.dev/v1", "Ox")
    with pytest.raises(NotFound, match=r'does not serve kind "Ox".*CustomResourceDefinition'):
        await client.list(ox)
    await client.create(apiextensions_v1.CustomResourceDefinition.from_dict(DEFINITION))
    async with asyncio.timeout(60):
        while (found := await kv.ignore_not_found(_list(client, ox))) is None:
            pass
    assert found == []
    made = kv.Unstructured(api_version="late.konverge.dev/v1", kind="Ox", metadata=kv.ObjectMeta(name="o"))
    made["horns"] = 2
    await client.create(made)
    assert (await client.get(ox, "o")).horns == 2
    await client.delete(made)
    await client.delete(apiextensions_v1.CustomResourceDefinition, "oxen.late.konverge.dev")


async def _list(client: kv.Client, form: kv.Form[kv.Unstructured]) -> list[kv.Unstructured]:
    return await client.list(form)


async def test_asked_once(recorded: tuple[kv.Client, Recorder]) -> None:
    """A group and version is asked for once, however many of its kinds and objects are used."""
    client, recorder = recorded
    await client.list(kv.unstructured("v1", "ConfigMap"))
    await client.in_namespace("default").list(kv.unstructured("v1", "Secret"))
    assert [call.path for call in recorder.calls if call.path == "/api/v1"] == ["/api/v1"]


async def test_a_version_that_is_not_there(client: kv.Client) -> None:
    """A misspelt version is NotFound with the kind and the version in the message."""
    with pytest.raises(NotFound, match="apps/v7"):
        await client.list(kv.unstructured("apps/v7", "Deployment"))


def _served(*, plural: str, namespaced: bool) -> Answer:
    return Answer({"resources": [{"name": plural, "kind": "Ox", "namespaced": namespaced}]})


async def test_a_kind_that_comes_back_otherwise() -> None:
    """A definition made anew with another plural and scope is found by the next read, in the same client."""
    gone = Fail(NotFound("404 page not found"))
    transport = ScriptedTransport().then(_served(plural="oxen", namespaced=True), page([], 1))
    transport.then(gone, _served(plural="oxes", namespaced=False), page([], 2))
    transport.then(Answer({"kind": "Ox", "metadata": {"name": "o"}}))
    client, ox = kv.Client(transport), kv.unstructured("late.konverge.dev/v1", "Ox")
    assert (await client.list(ox)).resource_version == "1"
    assert (await client.list(ox)).resource_version == "2"
    assert (await client.get(ox, "o")).metadata.name == "o"
    root = "/apis/late.konverge.dev/v1"
    paths = [root, f"{root}/oxen", f"{root}/oxen", root, f"{root}/oxes", f"{root}/oxes/o"]
    assert [call.path for call in transport.requests] == paths


async def test_an_object_that_is_not_there_is_asked_for_once() -> None:
    """Neither a missing object nor a resource that is as it was makes a read be sent twice."""
    missing = Fail(NotFound('oxen "o" not found'))
    gone = Fail(NotFound("the server could not find the requested resource"))
    served = _served(plural="oxen", namespaced=False)
    transport = ScriptedTransport().then(served, missing, gone, served, gone, Answer({"resources": []}))
    client, ox = kv.Client(transport), kv.unstructured("late.konverge.dev/v1", "Ox")
    for _ in range(2):
        with pytest.raises(NotFound):
            await client.get(ox, "o")
    with pytest.raises(NotFound, match='does not serve kind "Ox"'):
        await client.get(ox, "o")
    assert len(transport.requests) == 6


async def test_a_write_to_a_resource_that_is_gone() -> None:
    """A write is not sent twice; the next one asks where the kind is served now."""
    gone = Fail(NotFound("404 page not found"))
    transport = ScriptedTransport().then(_served(plural="oxen", namespaced=False), gone)
    transport.then(_served(plural="oxes", namespaced=False), Answer({"kind": "Ox", "metadata": {"name": "o"}}))
    made = kv.Unstructured(api_version="late.konverge.dev/v1", kind="Ox", metadata=kv.ObjectMeta(name="o"))
    client = kv.Client(transport)
    with pytest.raises(NotFound):
        await client.create(made)
    await client.create(made)
    assert transport.requests[-1].path == "/apis/late.konverge.dev/v1/oxes"


def test_subresources_belong_to_their_resource() -> None:
    """The discovery document names subresources beside resources; they are folded into them."""
    body = b"""{"resources":[{"name":"pods","kind":"Pod","namespaced":true},
        {"name":"pods/status","kind":"Pod","namespaced":true},{"name":"nodes","kind":"Node"}]}"""
    pods, nodes = resources_in(body, GroupVersion("", "v1"))
    assert (pods.kind, pods.namespaced, pods.subresources) == ("Pod", True, ("status",))
    assert (nodes.kind, nodes.namespaced, nodes.subresources) == ("Node", False, ())


@pytest.mark.parametrize("body", [b"<html>", b"[]", b'{"resources":3}'])
def test_a_broken_document(body: bytes) -> None:
    """What is no discovery document is a DecodeError."""
    with pytest.raises(DecodeError):
        resources_in(body, GroupVersion("", "v1"))
