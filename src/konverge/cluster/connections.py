"""Connections: how the embedded server reaches what runs on its node; nothing of it is loaded before it is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from konverge.cluster.apiserver.exchange import Answer, Request

if TYPE_CHECKING:
    from konverge.cluster.apiserver.connecting.connector import Wanted
    from konverge.cluster.pod_runtime import PodRuntime
    from konverge.cluster.streaming.node_connector import NodeConnector


class Connections:
    """A `Connector` to the containers of a runtime; without one, to those of the simulated node."""

    def __init__(self, runtime: PodRuntime | None = None) -> None:
        self._runtime = runtime
        self._connector: NodeConnector | None = None

    async def connect(self, wanted: Wanted, request: Request) -> Answer:
        """Return the answer that is the connection."""
        if self._connector is None:
            from konverge.cluster.streaming.node_connector import NodeConnector  # noqa: PLC0415 - few clusters need it

            self._connector = NodeConnector(self._runtime)
        return await self._connector.connect(wanted, request)

    async def end(self) -> None:
        """End what would not end by itself."""
        if self._connector is not None:
            self._connector.end()
