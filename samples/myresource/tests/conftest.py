"""A cluster with the kinds of this operator, and the operator to run in it under just its own roles."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import konverge as kv
import pytest
from konverge.manifest import crds_of
from konverge.testing import Cluster, Runs, running

from myresource.main import KINDS, add_to


@pytest.fixture
async def client(cluster: Cluster, namespace: str) -> AsyncIterator[kv.Client]:
    """A client of the test's own namespace, as the administrator."""
    await cluster.install(*crds_of(KINDS))
    async with cluster.client(namespace=namespace, field_owner="someone") as client:
        yield client


@pytest.fixture
def operator(cluster: Cluster, namespace: str) -> Callable[..., AbstractAsyncContextManager[Runs]]:
    """Run the operator in a block, as often as a test likes, also twice at once; it gives the reconciles so far."""

    @asynccontextmanager
    async def run(*others: str, **options: Any) -> AsyncIterator[Runs]:
        # A real cluster is shared by all tests: the operator looks at this one's namespace alone, unless others are given.
        cache = kv.CacheOptions(namespaces=(namespace, *others))
        manager = add_to(cluster.manager(user="operator", cache=cache, **options))
        await cluster.grant(manager, user="operator")
        runs = Runs(manager)
        async with running(manager):
            yield runs

    return run
