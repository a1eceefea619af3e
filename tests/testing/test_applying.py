"""Bringing YAML into a cluster."""

from __future__ import annotations

from pathlib import Path

import pytest

import konverge as kv
from konverge.errors import ConfigError
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, apply

TWO = """
apiVersion: v1
kind: ConfigMap
metadata: {name: one}
data: {since: 2020-01-01}
---
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: two}
"""
NOTE = """
apiVersion: applied.konverge.dev/v1
kind: Note
metadata: {name: first}
"""
DEFINITION = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: notes.applied.konverge.dev}
spec:
  group: applied.konverge.dev
  names: {kind: Note, plural: notes}
  scope: Namespaced
  versions:
  - {name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}
"""


async def test_a_text_may_have_several_documents(cluster: Cluster, namespace: str) -> None:
    """Empty ones count for nothing, a List for its items, a date is a text, and it may be done again."""
    async with cluster.client(namespace=namespace) as client:
        for _ in range(2):
            found = await apply(client, TWO)
            assert [(each.kind, each.metadata.name) for each in found] == [("ConfigMap", "one"), ("ConfigMap", "two")]
        assert (await client.get(ConfigMap, "one")).data == {"since": "2020-01-01"}


async def test_a_folder_is_applied_in_an_order_that_works(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    """A kind is served before its objects come, whatever the files are called; kustomize's own file is none."""
    (tmp_path / "a.yaml").write_text(NOTE)
    (tmp_path / "z.yml").write_text(DEFINITION)
    (tmp_path / "kustomization.yaml").write_text("resources: [a.yaml]\n")
    (tmp_path / "README.md").write_text("# notes\n")
    async with cluster.client(namespace=namespace) as client:
        found = await apply(client, tmp_path, str(tmp_path / "a.yaml"))
        assert [each.kind for each in found] == ["CustomResourceDefinition", "Note", "Note"]


async def test_a_generated_name_is_created(cluster: Cluster, namespace: str) -> None:
    """Each time anew; here from plain dicts."""
    manifest = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"generateName": "card-"}}
    async with cluster.client(namespace=namespace) as client:
        first, second = await apply(client, manifest, manifest)
    assert first.metadata.name != second.metadata.name
    assert (first.metadata.name or "").startswith("card-")


@pytest.mark.virtual_time
@pytest.mark.parametrize(
    ("source", "message"),
    [
        (
            "nowhere.yaml",
            "nowhere.yaml: cannot be read: No such file or directory; name a file, a folder, or give YAML",
        ),
        ("a: 1\n", "the YAML, document 1: is no Kubernetes object: apiVersion and kind are missing"),
        ("{a: [\n", "the YAML: is not YAML: line 2, column 1"),
    ],
)
async def test_what_cannot_be_applied_is_named(cluster: Cluster, source: str, message: str) -> None:
    """With the place, before anything is written."""
    async with cluster.client() as client:
        with pytest.raises(ConfigError) as error:
            await apply(client, source)
    assert message in str(error.value)


@pytest.mark.virtual_time
async def test_an_empty_folder_is_a_mistake(cluster: Cluster, tmp_path: Path) -> None:
    """Most likely the wrong one."""
    async with cluster.client() as client:
        with pytest.raises(ConfigError, match="there is no file to apply in it"):
            await apply(client, tmp_path)


@pytest.mark.virtual_time
async def test_what_was_applied_is_returned_as_the_server_has_it(cluster: Cluster, namespace: str) -> None:
    """With its uid, so that it can own something."""
    async with cluster.client(namespace=namespace) as client:
        (found, _) = await apply(client, TWO)
        assert isinstance(found, kv.Unstructured)
        assert found.metadata.uid
