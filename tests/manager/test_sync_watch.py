"""What is said about kinds that cannot be listed, on a scripted transport under virtual time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random

import pytest

from konverge.api.request import ApiRequest
from konverge.cache.cache import Cache
from konverge.client.transport import ApiResponse, error_of
from konverge.errors import CacheSyncTimeout
from konverge.manager.sync_watch import SyncWatch
from konverge.models.core_v1 import ConfigMap, Secret
from konverge.testing import virtual_time

FORBIDDEN = (
    b'{"kind":"Status","code":403,"reason":"Forbidden","message":"secrets is forbidden: User \\"x\\" cannot list '
    b'resource \\"secrets\\" in API group \\"\\" at the cluster scope"}'
)
END = (
    b'{"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"5",'
    b'"annotations":{"k8s.io/initial-events-end":"true"}}}}\n'
)


class Server:
    """Streams empty lists, and refuses those of secrets until told otherwise."""

    def __init__(self) -> None:
        self.allowed = False

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Refuse: nothing is called here."""
        raise error_of(request, 403, FORBIDDEN)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Answer a list and then stay silent."""
        if "secrets" in request.path and not self.allowed:
            raise error_of(request, 403, FORBIDDEN)
        yield self._chunks()

    async def _chunks(self) -> AsyncIterator[bytes]:
        yield END
        await asyncio.get_running_loop().create_future()

    async def close(self) -> None:
        """Close nothing."""


def test_a_kind_that_is_refused_is_told_again_and_again_until_it_is_there(caplog: pytest.LogCaptureFixture) -> None:
    """The start goes on at once, a line comes every thirty seconds, and none after the rule was added."""
    caplog.set_level(logging.WARNING, logger="konverge.cache")
    server = Server()

    async def main() -> None:
        cache = Cache(server, random=Random(1), resync=0)
        watch = SyncWatch(cache, say_every=30)
        await cache.informer(ConfigMap)
        refused = await cache.informer(Secret)
        running = asyncio.create_task(watch.run())
        await watch.ready()
        assert asyncio.get_running_loop().time() < 2
        await asyncio.sleep(100)
        assert len(told()) == 3
        server.allowed = True
        await refused.wait_for_sync()
        await asyncio.sleep(100)
        running.cancel()
        await asyncio.wait([running])

    def told() -> list[str]:
        return [record.fields["missing"] for record in caplog.records if "still waiting" in record.getMessage()]  # type: ignore[attr-defined]  # konverge's own

    virtual_time.run(main())
    assert len(told()) in (3, 4)
    assert all('{apiGroups: [""], resources: ["secrets"], verbs: ["get", "list", "watch"]}' in line for line in told())


def test_with_a_timeout_it_is_fatal_as_in_controller_runtime() -> None:
    """The error names the kind, the rule and the time, and comes no sooner than said."""

    async def main() -> None:
        cache = Cache(Server(), random=Random(1), resync=0)
        watch = SyncWatch(cache, timeout=120)
        await cache.informer(Secret)
        with pytest.raises(ExceptionGroup) as raised:
            await watch.run()
        assert isinstance(raised.value.exceptions[0], CacheSyncTimeout)
        assert "not synced within 120 s: v1 Secret" in str(raised.value.exceptions[0])
        assert 120 <= asyncio.get_running_loop().time() <= 151

    virtual_time.run(main())
