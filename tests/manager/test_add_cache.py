from __future__ import annotations

import asyncio

import pytest
from msgspec.structs import replace

from konverge import CachedClient, Config, Manager, ObjectMeta
from konverge.client.config import Tls
from konverge.models import core_v1
from konverge.testing import VirtualCluster, running

pytestmark = pytest.mark.virtual_time


def emptied(config_map: core_v1.ConfigMap) -> core_v1.ConfigMap:
    """Hold no data."""
    config_map.data = None
    return config_map


async def test_a_second_cache_holds_the_same_in_another_shape() -> None:
    """It runs with the manager; its transform is for every kind, and the first cache has none."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    small = CachedClient(manager.add_cache(replace(manager.cache_options, transform=emptied)))
    async with running(manager):
        metadata = ObjectMeta(name="c", namespace="default")
        await cluster.client().create(core_v1.ConfigMap(metadata=metadata, data={"large": "value"}))
        whole = await manager.client.get(core_v1.ConfigMap, "c", namespace="default")
        part = await small.get(core_v1.ConfigMap, "c", namespace="default")
        assert (whole.data, part.data) == ({"large": "value"}, None)
        await asyncio.sleep(0)


async def test_in_process_there_is_no_authority() -> None:
    """No certificate is shown, so there is none to check."""
    assert VirtualCluster().manager().authority == b""


async def test_the_authority_is_that_of_the_configuration() -> None:
    """What its client trusts, and empty where that is the system's."""
    tls = Tls(ca_data=b"a certificate")
    assert Manager(Config(server="https://127.0.0.1:1", tls=tls), metrics_address=None).authority == b"a certificate"
    assert Manager(Config(server="https://127.0.0.1:1"), metrics_address=None).authority == b""
