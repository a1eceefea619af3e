"""A cluster with the kinds of this operator, and the operator at work in it, with its own rights and no others."""

from collections.abc import AsyncIterator

import konverge as kv
import pytest
from konverge.manifest import crds_of
from konverge.testing import Cluster, Gate, running

from markdownview.main import KINDS, add_to

# The API server reaches the webhooks on this machine; in a cluster, by the Service that `make_manager` names.
HERE = kv.WebhookServing(
    name="markdownview",
    address="127.0.0.1:0",
    target="https://127.0.0.1:0",
    configurations="apply",
)


@pytest.fixture
def gate() -> Gate:
    """What the operator's calls pass on their way to the API server; it is open, unless a test holds something."""
    return Gate()


@pytest.fixture
async def manager(cluster: Cluster, namespace: str, gate: Gate) -> AsyncIterator[kv.Manager]:
    """The operator, while it runs."""
    await cluster.install(*crds_of(KINDS))
    # A real cluster is shared by all tests: the operator looks at this one's namespace alone.
    options = kv.CacheOptions(namespaces=(namespace,))
    user = f"markdownview-{namespace}"
    manager = add_to(cluster.manager(user=user, cache=options, webhooks=HERE, gate=gate))
    await cluster.grant(manager, user=user)  # a rule that is missing fails every test
    async with running(manager):
        yield manager


@pytest.fixture
async def client(cluster: Cluster, namespace: str, manager: kv.Manager) -> AsyncIterator[kv.Client]:
    """A client of the test's own namespace, while the operator runs."""
    assert manager.elected.is_set()
    async with cluster.client(namespace=namespace) as client:
        yield client
