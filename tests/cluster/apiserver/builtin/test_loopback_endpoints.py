from __future__ import annotations

import pytest

from konverge import Client, ObjectMeta
from konverge.cluster.embedded import EmbeddedCluster
from konverge.errors import Invalid
from konverge.models import core_v1, discovery_v1

pytestmark = pytest.mark.virtual_time


def slice_at(address: str, name: str = "one") -> discovery_v1.EndpointSlice:
    """Return a slice of one endpoint."""
    return discovery_v1.EndpointSlice(
        metadata=ObjectMeta(name=name, namespace="default"),
        address_type="IPv4",
        endpoints=[discovery_v1.Endpoint(addresses=[address])],
    )


async def test_endpoints_are_relaxed_too() -> None:
    """The older kind, which a controller still writes for each Service."""
    subset = core_v1.EndpointSubset(addresses=[core_v1.EndpointAddress(ip="127.64.0.2")])
    made = core_v1.Endpoints(metadata=ObjectMeta(name="one", namespace="default"), subsets=[subset])
    async with EmbeddedCluster(loopback_endpoints=True) as cluster, Client(cluster.transport()) as client:
        await client.create(made)
        subset.not_ready_addresses = [core_v1.EndpointAddress(ip="127.64.0.3")]
        made.subsets = [subset]
        await client.update(made)


async def test_the_rule_holds_unless_it_is_relaxed() -> None:
    """A loopback address is refused as the real server refuses it, and taken where it was asked for."""
    async with EmbeddedCluster() as cluster, Client(cluster.transport()) as client:
        with pytest.raises(Invalid, match="may not be in the loopback range"):
            await client.create(slice_at("127.64.0.2"))
    async with EmbeddedCluster(loopback_endpoints=True) as cluster, Client(cluster.transport()) as client:
        made = await client.create(slice_at("127.64.0.2"))
        made.endpoints = [discovery_v1.Endpoint(addresses=["127.64.0.3"])]
        await client.update(made)
        with pytest.raises(Invalid, match="may not be in the link-local range"):
            await client.create(slice_at("169.254.0.1", "two"))
