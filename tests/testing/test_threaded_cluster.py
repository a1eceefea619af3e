"""The embedded server in a thread of its own."""

from __future__ import annotations

import asyncio
import http.client
import threading
from contextlib import aclosing
from pathlib import Path

import pytest

import konverge as kv
from konverge.errors import ConnectionFailed, Forbidden, NotFound
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, ClusterError, ThreadedCluster

PATIENCE = 60  # seconds after which a test fails instead of hanging


def config_map(name: str) -> ConfigMap:
    """Return an object to create."""
    return ConfigMap(metadata=kv.ObjectMeta(name=name, namespace="default"))


def test_nothing_is_left_of_it() -> None:
    """No thread, no file, no port; a second end does nothing, and a call after it says what is wrong."""
    threads = threading.active_count()
    with ThreadedCluster() as cluster:
        kubeconfig, user, server = cluster.kubeconfig, cluster.kubeconfig_for("bob"), cluster.server
        assert kubeconfig.exists()
    cluster.close()
    assert threading.active_count() == threads
    assert not kubeconfig.exists()
    assert not user.exists()
    with pytest.raises(ConnectionRefusedError):
        http.client.HTTPSConnection(server.removeprefix("https://")).connect()
    with pytest.raises(ClusterError, match="closed"):
        cluster.call("GET", "/api")


def test_two_of_them_know_nothing_of_each_other() -> None:
    """Each has its own objects, though they share certificates."""
    with ThreadedCluster() as one, ThreadedCluster() as two:
        one.call("POST", "/api/v1/namespaces/default/configmaps", {"metadata": {"name": "x"}})
        with pytest.raises(NotFound):
            two.call("GET", "/api/v1/namespaces/default/configmaps/x")
        assert one.server != two.server


async def test_all_ways_lead_to_one_server(cluster: Cluster, namespace: str) -> None:
    """In process, over HTTPS, by a blocking call, and by one that blocks the loop in the middle of a watch."""
    async with cluster.client() as near, kv.Client.connect(cluster.config()) as far, asyncio.timeout(PATIENCE):
        await far.create(ConfigMap(metadata=kv.ObjectMeta(name="x", namespace=namespace)))
        seen = []
        async with aclosing(near.watch(ConfigMap, namespace=namespace)) as watch:
            async for event in watch:
                if event.type == "ADDED":
                    cluster.call("DELETE", f"/api/v1/namespaces/{namespace}/configmaps/x")
                if event.type != "BOOKMARK":
                    seen.append((event.type, event.object.metadata.name))
                if event.type == "DELETED":
                    break
    assert seen == [("ADDED", "x"), ("DELETED", "x")]


async def test_a_watch_that_is_given_up_can_be_opened_again(cluster: Cluster, namespace: str) -> None:
    """At any moment, and the client is none the worse for it."""
    async with cluster.client(namespace=namespace) as client, asyncio.timeout(PATIENCE):
        for turn in range(20):
            watch = client.watch(ConfigMap)
            waiting = asyncio.ensure_future(anext(watch))
            for _ in range(turn):
                await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.wait([waiting])
            await watch.aclose()
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="x")))
        assert (await anext(client.watch(ConfigMap))).object.metadata.name == "x"


async def test_a_client_outlives_its_server() -> None:
    """What it asks then fails as without a server; its watch has ended; closing it is no error."""
    cluster = ThreadedCluster().__enter__()
    transport = cluster.transport()
    client = kv.Client(transport)
    watch = client.watch(ConfigMap)
    following = asyncio.ensure_future(anext(watch))
    await client.create(config_map("x"))
    await following
    await asyncio.to_thread(cluster.close)
    with pytest.raises(ConnectionFailed, match="stopped"):
        await client.get(ConfigMap, "x", namespace="default")
    await watch.aclose()
    await client.close()


async def test_users_have_what_they_were_given(cluster: Cluster, namespace: str) -> None:
    """Near and far: a user has nothing by default, an administrator everything."""
    for client in (cluster.client(user="bob"), kv.Client.connect(cluster.config(user="bob", groups=["dev"]))):
        async with client:
            with pytest.raises(Forbidden, match='"bob"'):
                await client.list(ConfigMap, namespace=namespace)
    async with cluster.client(user="ann", groups=["system:masters"]) as ann:
        assert await ann.list(ConfigMap, namespace=namespace) == []


async def test_a_service_account_is_in_the_groups_of_its_kind(cluster: Cluster, namespace: str) -> None:
    """By itself, on both servers."""
    account = f"system:serviceaccount:{namespace}:default"
    path = "/apis/authentication.k8s.io/v1/selfsubjectreviews"
    async with cluster.client(user=account) as client:
        review = kv.Unstructured(api_version="authentication.k8s.io/v1", kind="SelfSubjectReview")
        user = (await client.create(review))["status"]["userInfo"]
    assert user["username"] == account
    assert set(user["groups"]) == {
        "system:serviceaccounts",
        f"system:serviceaccounts:{namespace}",
        "system:authenticated",
    }, path


async def test_installing_waits_for_the_kinds(cluster: Cluster, namespace: str, tmp_path: Path) -> None:
    """What a file defines can be used at once, and installing it again is no error."""
    definition = """
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: parts.install.konverge.dev}
spec:
  group: install.konverge.dev
  scope: Namespaced
  names: {kind: Part, plural: parts}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
---
"""
    (tmp_path / "crd.yaml").write_text(definition)
    (tmp_path / "part.yaml").write_text(
        f"{{apiVersion: install.konverge.dev/v1, kind: Part, metadata: {{name: p, namespace: {namespace}}}}}"
    )
    for _ in range(2):
        await cluster.install(tmp_path / "crd.yaml", str(tmp_path / "part.yaml"))
    found = cluster.call("GET", f"/apis/install.konverge.dev/v1/namespaces/{namespace}/parts")
    assert [each["metadata"]["name"] for each in found["items"]] == ["p"]
