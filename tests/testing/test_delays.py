"""Delays: everything comes, late and in order; and the option that asks for them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import pairwise

import pytest

import konverge as kv
from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse
from konverge.errors import Operation
from konverge.models.core_v1 import ConfigMap
from konverge.testing import Cluster, Runs, running, wait_idle
from konverge.testing.delays import Delays

pytestmark = pytest.mark.virtual_time
PIECES = [b"%d" % number for number in range(200)]
MOST = 0.2  # seconds


class Instant:
    """A transport that takes no time."""

    is_closed = False

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Answer with the path."""
        return ApiResponse(status=200, body=request.path.encode())

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Bring all pieces."""
        assert request.is_read

        async def pieces() -> AsyncIterator[bytes]:
            for piece in PIECES:
                yield piece

        yield pieces()

    async def close(self) -> None:
        """Note it."""
        self.is_closed = True


def asked(path: str) -> ApiRequest:
    """Return a request for a path."""
    return ApiRequest(method="GET", path=path, operation=Operation(verb="get"))


def now() -> float:
    """Return the time on the loop."""
    return asyncio.get_running_loop().time()


async def test_pieces_come_late_and_in_order() -> None:
    """Some at once, some after a while, none lost."""
    transport = Delays(7).before(Instant())
    moments = [now()]
    found = []
    async with transport.stream(asked("/api")) as pieces:
        async for piece in pieces:
            found.append(piece)
            moments.append(now())
    assert found == PIECES
    gaps = [later - earlier for earlier, later in pairwise(moments)]
    assert min(gaps) == 0
    assert MOST / 2 < max(gaps) <= MOST


async def test_a_call_may_wait_before_and_after() -> None:
    """So others may write before it arrives, and before its answer is known."""
    inner = Instant()
    transport = Delays(7).before(inner)
    started, answers = now(), [await transport.call(asked(f"/{number}")) for number in range(100)]
    assert [answer.body for answer in answers] == [b"/%d" % number for number in range(100)]
    assert 0 < now() - started <= 200 * MOST
    await transport.close()
    assert inner.is_closed


async def test_a_seed_draws_the_same_delays_each_time() -> None:
    """And another one others."""
    taken = []
    for seed in (7, 7, 8):
        delays, started = Delays(seed), now()
        for _ in range(50):
            await delays.wait()
        taken.append(round(now() - started, 6))
    assert taken[0] == taken[1] != taken[2]


async def test_a_manager_gets_there_all_the_same(cluster: Cluster, namespace: str) -> None:
    """It is late, and then it has done all there was to do."""

    class Mark:
        async def reconcile(self, ctx: kv.Context, request: kv.Request) -> None:
            found = await ctx.client.get(ConfigMap, request)
            if not found.data:
                found.data = {"marked": "yes"}
                await ctx.client.patch(found)

    cluster.delays = Delays(7)
    manager = cluster.manager(cache=kv.CacheOptions(namespaces=(namespace,)))
    kv.new_controller(manager).for_(ConfigMap).complete(Mark())
    runs, started = Runs(manager), now()
    async with running(manager), cluster.client(namespace=namespace) as client:
        for number in range(5):
            await client.create(ConfigMap(metadata=kv.ObjectMeta(name=f"c{number}")))
        await wait_idle(manager)
        assert [found.data for found in await client.list(ConfigMap)] == [{"marked": "yes"}] * 5
    assert not runs.failures
    assert now() > started
