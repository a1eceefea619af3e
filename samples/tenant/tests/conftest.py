"""A cluster with the kinds of this operator, and the operator to run in it under just its own roles."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import konverge as kv
import pytest
from konverge.manifest import crds_of
from konverge.testing import Cluster, Runs, running

from tenant.api.v1.tenant import Tenant
from tenant.main import KINDS, add_to


@pytest.fixture
async def client(cluster: Cluster) -> AsyncIterator[kv.Client]:
    """A client of all namespaces, as the administrator."""
    await cluster.install(*crds_of(KINDS))
    async with cluster.client(field_owner="someone") as client:
        yield client


@pytest.fixture
async def name(client: kv.Client, namespace: str) -> AsyncIterator[str]:
    """The name of a tenant that no other test has: a real cluster is shared by all of them."""
    yield namespace
    await kv.ignore_not_found(client.delete(Tenant, namespace))


@pytest.fixture
def operator(cluster: Cluster) -> Callable[..., AbstractAsyncContextManager[Runs]]:
    """Run the operator in a block, as often as a test likes, also twice at once; it gives the reconciles so far."""

    @asynccontextmanager
    async def run(**options: Any) -> AsyncIterator[Runs]:
        manager = add_to(cluster.manager(user="operator", **options))
        await cluster.grant(manager, user="operator")
        runs = Runs(manager)
        async with running(manager):
            yield runs

    return run
