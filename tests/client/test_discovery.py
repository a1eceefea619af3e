from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.api.kind import GroupVersion
from konverge.client.discovery import resources_in
from konverge.errors import DecodeError, NotFound
from konverge.models import apiextensions_v1

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
