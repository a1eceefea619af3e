from __future__ import annotations

from konverge import Client
from konverge.client.ignore import ignore_not_found
from konverge.cluster import controllers
from konverge.cluster.controllers.root_ca import CONFIG_MAP, NAME
from konverge.cluster.embedded import EmbeddedCluster
from konverge.manager import Manager
from konverge.models import core_v1
from konverge.testing import eventually


def add_root_ca(manager: Manager) -> None:
    """Run this controller alone."""
    controllers.add_to(manager, [NAME])


async def test_a_server_that_listens_publishes_its_ca() -> None:
    """The one that its kubeconfig trusts."""
    async with EmbeddedCluster(listen=True, controllers=add_root_ca) as cluster:
        client = Client(cluster.transport())

        async def published() -> core_v1.ConfigMap | None:
            return await ignore_not_found(client.get(core_v1.ConfigMap, CONFIG_MAP, namespace="default"))

        found = await eventually(published, within=60)
        assert found is not None
        assert found.data == {"ca.crt": cluster.transport().authority.decode()}
        assert found.data["ca.crt"].startswith("-----BEGIN CERTIFICATE-----")
