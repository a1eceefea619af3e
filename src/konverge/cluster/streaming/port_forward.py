"""Port forwarding: pairs of SPDY streams, each pair one connection to a port of a pod.

A client opens an `error` and a `data` stream with the same request id; what goes wrong is written to the first, and the
next pair may fare better.
"""

from __future__ import annotations

import asyncio
from contextlib import suppress
from typing import Final

from konverge.cluster.pod_runtime import PodRef, PodRuntime, RuntimeRefusal
from konverge.cluster.streaming.pod_port import open_port
from konverge.cluster.streaming.spdy import SpdyConnection, SpdyStream
from konverge.cluster.streaming.spdy_frames import Reset
from konverge.cluster.streaming.splice import splice

PROTOCOL: Final = "portforward.k8s.io"
_TYPE: Final = "streamtype"
_PORT: Final = "port"
_REQUEST: Final = "requestid"
_TYPES: Final = ("error", "data")
_HIGHEST_PORT: Final = 65535


class PortForward:
    """Serves one client's connections to one pod."""

    def __init__(self, connection: SpdyConnection, runtime: PodRuntime, pod: PodRef) -> None:
        self._connection = connection
        self._runtime = runtime
        self._pod = pod
        self._halves: dict[str, SpdyStream] = {}  # streams whose partner has not come yet, by request
        self._tasks: set[asyncio.Task[None]] = set()

    async def run(self) -> None:
        """Serve until the client goes; its connections end with it."""
        try:
            async for stream in self._connection.streams():
                if fault_of(stream):
                    await stream.reset(Reset.REFUSED_STREAM)
                else:
                    self._pair(stream)
        finally:
            for task in tuple(self._tasks):
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)

    def _pair(self, stream: SpdyStream) -> None:
        request = request_of(stream)
        partner = self._halves.get(request)
        if partner is None or partner.headers[_TYPE] == stream.headers[_TYPE]:
            self._halves[request] = stream
            return
        del self._halves[request]
        error, data = (stream, partner) if stream.headers[_TYPE] == "error" else (partner, stream)
        task = asyncio.create_task(self._forward(error, data))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _forward(self, error: SpdyStream, data: SpdyStream) -> None:
        try:
            reader, writer = await open_port(self._runtime, self._pod, int(data.headers[_PORT]))
        except RuntimeRefusal as refusal:
            with suppress(ConnectionError):
                await error.send(str(refusal).encode())
            await error.close()
            await data.reset()
            return
        try:
            await splice(data, reader, writer)
        finally:
            await data.close()
            await error.close()


def fault_of(stream: SpdyStream) -> str:
    """Say what is wrong with a stream of a client; nothing of a good one."""
    port, kind = stream.headers.get(_PORT, ""), stream.headers.get(_TYPE, "")
    if not (port.isascii() and port.isdigit() and 0 < int(port) <= _HIGHEST_PORT):
        return f"{port!r} is no port"
    return "" if kind in _TYPES else f"{kind!r} is no type of a stream"


def request_of(stream: SpdyStream) -> str:
    """Return what tells pairs apart; old clients give no id, and open a pair's streams one after the other."""
    asked = stream.headers.get(_REQUEST, "")
    return asked or str(stream.id if stream.headers[_TYPE] == "error" else stream.id - 2)
