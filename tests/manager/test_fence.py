from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from konverge.api.kind import ObjectKey
from konverge.api.request import ApiRequest, WriteOptions, get, update
from konverge.client.retry import RetryingTransport, RetryPolicy
from konverge.manager.fence import Fence, FencedTransport, NotLeader
from konverge.models.coordination_v1 import Lease
from konverge.testing import virtual_time

if TYPE_CHECKING:
    from tests.manager.conftest import Leases

KEY = ObjectKey("default", "x")
READ = get(Lease.__resource__, KEY)


def write(version: str) -> ApiRequest:
    """A write over a version."""
    body = b'{"metadata":{"name":"x","resourceVersion":"%s"}}' % version.encode()
    return update(Lease.__resource__, KEY, body, options=WriteOptions())


def test_writes_pass_until_the_deadline_and_reads_always(leases: type[Leases]) -> None:
    """The fence is open before the first election, then as long as the last renewal allows."""
    server = leases.Server()
    server.objects[READ.path] = {"metadata": {"name": "x", "resourceVersion": "0"}}
    fence = Fence("operator")
    transport = RetryingTransport(FencedTransport(leases.Line(server), fence), RetryPolicy())

    async def main() -> None:
        await transport.call(write("0"))
        fence.renewed(10.0)
        await asyncio.sleep(9.9)
        await transport.call(write("1"))
        await asyncio.sleep(0.1)
        late = r'update leases.*"default/x": refused.*"operator" was to be renewed 0\.0 s ago'
        with pytest.raises(NotLeader, match=late):
            await transport.call(write("2"))
        await transport.call(READ)
        fence.renewed(30.0)
        await transport.call(write("2"))
        fence.close()
        with pytest.raises(NotLeader, match="must be restarted"):
            await transport.call(write("3"))

    virtual_time.run(main())
    assert server.version == 3


def test_a_refused_write_is_not_sent(leases: type[Leases]) -> None:
    """Nothing reaches the server, not even a stream that writes."""
    server = leases.Server()
    fence = Fence()
    fence.close()
    transport = FencedTransport(leases.Line(server), fence)

    async def main() -> None:
        with pytest.raises(NotLeader):
            await transport.call(write("0"))
        with pytest.raises(NotLeader):
            async with transport.stream(write("0")):
                pass

    virtual_time.run(main())
    assert server.log == []


def test_a_write_that_waits_at_the_deadline_is_given_up(leases: type[Leases]) -> None:
    """It never reaches the server; a renewal in the meantime moves the deadline, and reads do not care."""
    server = leases.Server()
    server.objects[READ.path] = {"metadata": {"name": "x", "resourceVersion": "0"}}
    fence = Fence("operator")
    slow = FencedTransport(leases.Line(server, lambda: leases.Fault(before=8.0)), fence)

    async def main() -> None:
        loop = asyncio.get_running_loop()
        fence.renewed(5.0)
        loop.call_later(4.0, fence.renewed, 10.0)
        await slow.call(write("0"))
        assert loop.time() == 8
        with pytest.raises(NotLeader, match=r"given up without an answer, because .* by now"):
            await slow.call(write("1"))
        assert loop.time() == 10
        await slow.call(READ)
        fence.renewed(20.0)
        loop.call_later(1.0, fence.close)
        with pytest.raises(NotLeader, match="given up"):
            await slow.call(write("1"))

    virtual_time.run(main())
    assert server.version == 1


def test_a_timeout_below_the_fence_stays_one(leases: type[Leases]) -> None:
    """What times out for another reason is no lost lease."""

    def fault() -> Any:
        raise TimeoutError("of the transport")

    fence = Fence()
    transport = FencedTransport(leases.Line(leases.Server(), fault), fence)

    async def main() -> None:
        fence.renewed(5.0)
        with pytest.raises(TimeoutError, match="of the transport"):
            await transport.call(write("0"))

    virtual_time.run(main())
