"""The endpoints of the server itself."""

from __future__ import annotations

from pathlib import Path

import konverge as kv
from konverge.cluster.embedded import EmbeddedCluster
from konverge.models import core_v1, discovery_v1


async def _found(cluster: EmbeddedCluster) -> tuple[core_v1.Endpoints, discovery_v1.EndpointSlice]:
    client = kv.Client(cluster.transport())
    endpoints = await client.get(core_v1.Endpoints, "kubernetes", namespace="default")
    return endpoints, await client.get(discovery_v1.EndpointSlice, "kubernetes", namespace="default")


async def test_the_service_of_the_server_leads_to_it() -> None:
    """Endpoints and slice have the address and the port at which it listens."""
    async with EmbeddedCluster(listen=True) as cluster:
        endpoints, slice_ = await _found(cluster)
    port = int(cluster.url.rpartition(":")[2])
    assert endpoints.subsets is not None
    subset = endpoints.subsets[0]
    assert [address.ip for address in subset.addresses or ()] == ["127.0.0.1"]
    assert [each.port for each in subset.ports or ()] == [port]
    assert slice_.address_type == "IPv4"
    assert [each.addresses for each in slice_.endpoints or ()] == [["127.0.0.1"]]
    assert [each.port for each in slice_.ports or ()] == [port]


async def test_a_server_on_another_port_says_so(tmp_path: Path) -> None:
    """The same objects are changed; where nothing has changed nothing is written."""
    async with EmbeddedCluster(listen=True, folder=tmp_path) as cluster:
        before, _ = await _found(cluster)
        port = int(cluster.url.rpartition(":")[2])
    async with EmbeddedCluster(folder=tmp_path) as cluster:
        await cluster.server.announce("127.0.0.1", port)
        same, _ = await _found(cluster)
        await cluster.server.announce("127.0.0.1", port + 1)
        after, _ = await _found(cluster)
    assert same.metadata.resource_version == before.metadata.resource_version
    assert after.metadata.uid == before.metadata.uid
    assert after.metadata.resource_version != before.metadata.resource_version
