from __future__ import annotations

import pytest

from konverge import clock
from konverge.errors import AlreadyExists, Conflict
from konverge.testing import Cluster
from konverge.webhook.certificate import renewed
from konverge.webhook.certificate_store import InMemory, InSecret


async def test_memory_keeps_what_is_saved() -> None:
    """For one process."""
    store = InMemory()
    assert await store.load() is None
    made = renewed(None, ("localhost",), now=clock.now())
    await store.save(made)
    assert await store.load() == made


async def test_replicas_share_a_secret(cluster: Cluster, namespace: str) -> None:
    """What one saves another loads; who comes second is told so, and takes the first one's."""
    made = renewed(None, ("localhost",), now=clock.now())
    async with cluster.client() as client:
        one, other = (InSecret(client, namespace=namespace, name="certificate") for _ in range(2))
        assert await one.load() is None
        assert await other.load() is None
        await one.save(made)
        with pytest.raises(AlreadyExists):
            await other.save(renewed(None, ("localhost",), now=clock.now()))
        assert await one.load() == await other.load() == made
        await one.save(made_again := renewed(made, ("other",), now=clock.now()))
        with pytest.raises(Conflict):
            await other.save(made)
        assert await other.load() == made_again


DAMAGED = [
    {"tls.crt": "AAAA"},
    {"tls.crt": "AAAA", "tls.key": "AAAA", "authorities.json": "W10="},
    {"tls.crt": "AAAA", "tls.key": "AAAA", "authorities.json": "W1siYSIsImIiXV0="},
]


@pytest.mark.parametrize("data", DAMAGED)
async def test_a_damaged_secret_is_made_anew(cluster: Cluster, namespace: str, data: dict[str, str]) -> None:
    """What cannot be read counts as none, and can be replaced."""
    body = {"metadata": {"name": "certificate"}, "data": data}
    cluster.call("POST", f"/api/v1/namespaces/{namespace}/secrets", body)
    async with cluster.client() as client:
        store = InSecret(client, namespace=namespace, name="certificate")
        assert await store.load() is None
        await store.save(made := renewed(None, ("localhost",), now=clock.now()))
        assert await store.load() == made
