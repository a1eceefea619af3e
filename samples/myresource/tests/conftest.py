"""A cluster with the kinds of this operator, and the operator at work in it under just its own roles."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import konverge as kv
import pytest
from konverge.manifest import crds_of
from konverge.testing import Cluster, running

from myresource.main import KINDS, add_to

Operator = Callable[[], AbstractAsyncContextManager[kv.Manager]]


@pytest.fixture
async def client(cluster: Cluster, namespace: str) -> AsyncIterator[kv.Client]:
    """A client of the test's own namespace, as the administrator."""
    await cluster.install(*crds_of(KINDS))
    async with cluster.client(namespace=namespace, field_owner="someone") as client:
        yield client


@pytest.fixture
def operator(cluster: Cluster, namespace: str) -> Operator:
    """Runs the operator: `async with operator(): …`, as often as a test likes, also twice at once."""

    @asynccontextmanager
    async def run() -> AsyncIterator[kv.Manager]:
        # A real cluster is shared by all tests: the operator looks at this one's namespace alone.
        manager = add_to(cluster.manager(user="operator", cache=kv.CacheOptions(namespaces=(namespace,))))
        await cluster.grant(manager, user="operator")
        async with running(manager):
            yield manager

    return run
