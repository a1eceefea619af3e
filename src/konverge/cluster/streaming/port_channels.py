"""Port forwarding of websocket clients without SPDY (the official Python client): two channels for each port.

Channel 2n has the bytes of the n-th port that was asked for, channel 2n + 1 what went wrong with it. Both begin with
the port's number. There is one connection for each port, made at once.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from konverge.cluster.pod_runtime import PodRef, PodRuntime, RuntimeRefusal
from konverge.cluster.streaming.pod_port import open_port
from konverge.cluster.streaming.splice import splice
from konverge.cluster.streaming.websocket import WebSocket

PROTOCOLS: Final = ("v4.channel.k8s.io", "v4.base64.channel.k8s.io")
_MOST_WAITING: Final = 64  # messages for a port that does not read


class _Channel:
    """The bytes of one port, both ways."""

    def __init__(self, socket: WebSocket, number: int) -> None:
        self.incoming: asyncio.Queue[bytes] = asyncio.Queue(_MOST_WAITING)
        self.is_done = False
        self._socket = socket
        self._head = bytes((number,))

    async def receive(self) -> bytes:
        return await self.incoming.get()

    async def send(self, data: bytes) -> None:
        await self._socket.send(self._head + data)


class PortChannels:
    """Serves one client's connections to one pod."""

    def __init__(self, socket: WebSocket, runtime: PodRuntime, pod: PodRef, *, ports: Sequence[int]) -> None:
        self._socket = socket
        self._runtime = runtime
        self._pod = pod
        self._ports = ports
        self._channels = [_Channel(socket, number) for number in range(2 * len(ports))]

    async def run(self) -> None:
        """Serve until the client goes, or every port has ended."""
        for number, channel in enumerate(self._channels):
            await channel.send(self._ports[number // 2].to_bytes(2, "little"))
        reading = asyncio.ensure_future(self._read())
        forwarding = asyncio.gather(*(self._forward(number) for number in range(len(self._ports))))
        try:
            await asyncio.wait((reading, forwarding), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (reading, forwarding):
                task.cancel()
            await asyncio.gather(reading, forwarding, return_exceptions=True)
            await self._socket.close()

    async def _read(self) -> None:
        while (message := await self._socket.receive()) is not None:
            number, data = (message[0], message[1:]) if message else (1, b"")
            if data and number % 2 == 0 and number < len(self._channels):
                await self._channels[number].incoming.put(data)

    async def _forward(self, number: int) -> None:
        data, error = self._channels[2 * number : 2 * number + 2]
        try:
            reader, writer = await open_port(self._runtime, self._pod, self._ports[number])
        except RuntimeRefusal as refusal:
            with suppress(ConnectionError):
                await error.send(str(refusal).encode())
            return
        await splice(data, reader, writer)
