"""Both servers, shared by the session: the same cases in the same order leave the same state behind."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from harness.masks import Mask
from harness.servers import EmbeddedServer, RealServer

from konverge.cluster.apiserver.server import ApiServer
from konverge.cluster.apiserver.storage import Storage
from konverge.cluster.webhook_calls import WebhookCalls
from konverge.testing.real_cluster import RealCluster


@pytest.fixture(scope="session")
def real(real_cluster: RealCluster) -> Iterator[RealServer]:
    """The real API server."""
    server = RealServer(real_cluster)
    yield server
    server.close()


@pytest.fixture(scope="session")
def embedded(real: RealServer) -> Iterator[EmbeddedServer]:
    """The embedded one, with the same key for tokens."""
    calls = WebhookCalls()

    async def make() -> ApiServer:
        server = ApiServer(Storage.in_memory(), signer=lambda: real.signer, webhooks=calls)
        await server.start()
        return server

    server = EmbeddedServer(make, real.signer)
    yield server
    server.run(calls.close())
    server.close()


@pytest.fixture(scope="session")
def used() -> Counter[Mask]:
    """How often each mask hid something."""
    return Counter()
