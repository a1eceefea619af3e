"""konverge's own client writes to the embedded server through the in-process transport."""

from __future__ import annotations

import pytest

import konverge as kv
from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.transport import InProcessTransport
from konverge.errors import Conflict, NotFound
from konverge.models import core_v1


async def test_the_life_of_an_object() -> None:
    """Create, update, a conflict, delete."""
    server = ApiServer(Storage.in_memory())
    await server.start()
    client = kv.Client(InProcessTransport(server))
    made = await client.create(
        core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="default"), data={"a": "b"})
    )
    stale = await client.get(core_v1.ConfigMap, "a", namespace="default")
    made.data = {"a": "c"}
    updated = await client.update(made)
    assert updated.metadata.resource_version != stale.metadata.resource_version
    stale.data = {"a": "d"}
    with pytest.raises(Conflict):
        await client.update(stale)
    await client.delete(updated)
    with pytest.raises(NotFound):
        await client.get(core_v1.ConfigMap, "a", namespace="default")
    await server.close()
