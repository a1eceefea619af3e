from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from konverge.api.kind import ObjectKey
from konverge.api.request import get
from konverge.errors import ConnectionFailed, NotFound
from konverge.manager.metered import MeteredTransport
from konverge.metrics import Metrics
from konverge.models.coordination_v1 import Lease

if TYPE_CHECKING:
    from tests.manager.conftest import Leases

READ = get(Lease.__resource__, ObjectKey("default", "x"))


def test_each_try_is_counted_by_what_came_of_it(leases: type[Leases]) -> None:
    """A success by its status, a refusal by its code, and no answer as client-go writes it."""
    server = leases.Server()
    reached = [True, True, False]
    line = leases.Line(server, lambda: leases.Fault(reached=reached.pop(0)))
    metrics = Metrics()
    transport = MeteredTransport(line, metrics, host="h:1")

    async def main() -> None:
        with pytest.raises(NotFound):
            await transport.call(READ)
        server.objects[READ.path] = {"metadata": {}}
        await transport.call(READ)
        with pytest.raises(ConnectionFailed):
            await transport.call(READ)
        with pytest.raises(ConnectionFailed):
            async with transport.stream(READ):
                pass

    asyncio.run(main())

    def count(code: str) -> float | None:
        labels = {"code": code, "method": "GET", "host": "h:1"}
        return metrics.registry.get_sample_value("rest_client_requests_total", labels)

    assert [count(code) for code in ("200", "404", "<error>")] == [1, 1, 2]
