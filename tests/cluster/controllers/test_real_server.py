"""The controllers are operators like any other: they work on a real API server, too."""

from __future__ import annotations

import pytest

from konverge import ObjectMeta
from konverge.api.owner import owner_reference
from konverge.client.ignore import ignore_not_found
from konverge.cluster import controllers
from konverge.models import core_v1
from konverge.testing import Cluster, eventually, running

PATIENCE = 60.0


@pytest.mark.cluster("real")
async def test_they_collect_and_empty_namespaces_on_a_real_server(cluster: Cluster) -> None:
    """A dependent goes with its owner, an account comes with its namespace, and both with it."""
    manager = cluster.manager()
    controllers.add_to(manager, ["garbage-collector-controller", "namespace-controller", "serviceaccount-controller"])
    name = "konverge-test-controllers"
    async with running(manager), cluster.client() as client:
        await client.create(core_v1.Namespace(metadata=ObjectMeta(name=name)))

        async def has_account() -> bool:
            account = client.get(core_v1.ServiceAccount, "default", namespace=name)
            return await ignore_not_found(account) is not None

        await eventually(has_account, within=PATIENCE)
        owner = await client.create(core_v1.ConfigMap(metadata=ObjectMeta(name="owner", namespace=name)))
        metadata = ObjectMeta(name="dependent", namespace=name, owner_references=[owner_reference(owner)])
        await client.create(core_v1.Secret(metadata=metadata))
        await client.delete(owner, propagation="Foreground")

        async def is_collected() -> bool:
            return not await client.list(core_v1.Secret, namespace=name)

        await eventually(is_collected, within=PATIENCE)
        await client.delete(core_v1.Namespace, name)

        async def is_gone() -> bool:
            return await ignore_not_found(client.get(core_v1.Namespace, name)) is None

        await eventually(is_gone, within=PATIENCE)
