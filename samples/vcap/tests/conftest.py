"""A cluster with the kinds of this operator, and the operator at work in it."""

from collections.abc import AsyncIterator

import konverge as kv
import pytest
from konverge.manifest import crds_of
from konverge.testing import Cluster, running

from vcap.main import KINDS, add_to

# The API server reaches the webhooks on this machine; in a cluster, by the Service that `make_manager` names.
HERE = kv.WebhookServing(
    name="vcap",
    address="127.0.0.1:0",
    target="https://127.0.0.1:0",
    configurations="apply",
)


@pytest.fixture
async def client(cluster: Cluster, namespace: str) -> AsyncIterator[kv.Client]:
    """A client of the test's own namespace, while the operator runs."""
    await cluster.install(*crds_of(KINDS))
    # A real cluster is shared by all tests: the operator looks at this one's namespace alone.
    manager = add_to(cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)), webhooks=HERE))
    async with cluster.client(namespace=namespace) as client, running(manager):
        yield client
