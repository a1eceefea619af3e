"""The embedded server on the loop of a test under virtual time."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

import konverge as kv
from konverge.errors import Forbidden, RequestError
from konverge.models.core_v1 import ConfigMap
from konverge.testing import VirtualCluster, virtual_time
from konverge.testing.virtual_time import VirtualTimeError


async def history(cluster: VirtualCluster) -> list[Any]:
    """Write some objects, and return all that the server made up for them."""
    namespace = cluster.create_namespace()
    async with cluster.client(namespace=namespace) as client:
        made = [await client.create(ConfigMap(metadata=kv.ObjectMeta(generate_name="a-"))) for _ in range(3)]
    return [(each.metadata.name, each.metadata.uid, each.metadata.creation_timestamp) for each in made]


def test_the_same_seed_gives_the_same_objects() -> None:
    """Names, uids and times; another seed gives others."""
    first, again, other = (virtual_time.run(history(VirtualCluster(seed=seed))) for seed in (1, 1, 2))
    assert first == again
    assert first != other


@pytest.mark.virtual_time
async def test_namespaces_are_there_when_they_are_needed(cluster: VirtualCluster, namespace: str) -> None:
    """Also those that are asked for later, also when many ask at once."""
    async with cluster.client() as client:
        await asyncio.gather(
            *(client.create(ConfigMap(metadata=kv.ObjectMeta(name=f"{n}", namespace=namespace))) for n in range(5))
        )
        later = cluster.create_namespace()
        await client.create(ConfigMap(metadata=kv.ObjectMeta(name="x", namespace=later)))
        found = [each.metadata.namespace for each in await client.list(ConfigMap)]
        assert (found.count(namespace), found.count(later)) == (5, 1)


@pytest.mark.virtual_time
async def test_users_have_what_they_were_given(cluster: VirtualCluster) -> None:
    """As on every cluster."""
    async with cluster.client(user="bob") as bob:
        with pytest.raises(Forbidden, match='"bob"'):
            await bob.list(ConfigMap)


@pytest.mark.virtual_time
async def test_a_client_that_is_closed_says_so(cluster: VirtualCluster) -> None:
    """As every client does."""
    client = cluster.client()
    await client.version()
    await client.close()
    with pytest.raises(RequestError, match="closed"):
        await client.version()


@pytest.mark.virtual_time
async def test_what_takes_real_time_is_refused(cluster: VirtualCluster) -> None:
    """With what to do instead."""
    for use in (
        lambda: cluster.server,
        lambda: cluster.kubeconfig,
        lambda: cluster.kubeconfig_for("bob"),
        lambda: cluster.kubectl("get", "pods"),
        lambda: cluster.call("GET", "/api"),
    ):
        with pytest.raises(VirtualTimeError, match=r"use cluster\.client\(\) or cluster\.manager\(\)"):
            use()
