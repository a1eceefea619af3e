"""Waiting for what an object controls."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.errors import RequestError
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, wait_children


async def test_the_children_are_those_that_it_controls(cluster: Cluster, namespace: str) -> None:
    """By names or by number; the message names the others, and whose they are."""
    async with cluster.client(namespace=namespace) as client:
        owner, other = [await client.create(_map(name)) for name in ("owner", "other")]
        for name, whose in (("b", owner), ("a", owner), ("c", other)):
            child = _map(name, namespace=namespace)
            kv.set_controller_reference(whose, child)
            await client.create(child)
        lent = _map("lent", namespace=namespace)
        kv.set_owner_reference(owner, lent)
        lent = await client.create(lent)

        found = await wait_children(client, owner, ConfigMap, names={"a", "b"}, count=2)
        assert [each.metadata.name for each in found] == ["a", "b"]
        assert len(await wait_children(client, owner, ConfigMap)) == 2
        assert await wait_children(client, lent, ConfigMap, count=0) == []
        with pytest.raises(AssertionError) as error:
            await wait_children(client, owner, ConfigMap, names=["a", "b", "c"], within=0.2)
    told = str(error.value)
    assert told.startswith(
        f'ConfigMap "{namespace}/owner" does not control ConfigMap objects as expected, just these: a, b, c after 0.2 s'
    )
    assert f"  {namespace}/a: controlled by it\n" in told
    assert f'  {namespace}/c: controlled by ConfigMap "other"\n' in told
    assert f"  {namespace}/lent: owned by it, but not as its controller\n" in told
    assert f"  {namespace}/other: controlled by nobody\n" in told
    assert "of the owner, it looks like this:\n  apiVersion: v1\n" in told


def _map(name: str, namespace: str | None = None) -> ConfigMap:
    return ConfigMap(metadata=kv.ObjectMeta(name=name, namespace=namespace))


@pytest.mark.virtual_time
async def test_one_name_is_not_a_list_of_letters(cluster: Cluster, namespace: str) -> None:
    """A mistake that would wait for children called c, a, r and d."""
    async with cluster.client(namespace=namespace) as client:
        owner = await client.create(_map("owner"))
        with pytest.raises(RequestError, match=r"names=\['card'\]"):
            await wait_children(client, owner, ConfigMap, names="card")
