"""Listener: one port of a Service, bound; where that cannot be, another one, and why."""

from __future__ import annotations

import asyncio
import errno
import ipaddress
import os
from dataclasses import dataclass
from typing import Final

from konverge.cluster.proxy.balancer import Balancer
from konverge.cluster.proxy.plan import NODE_ADDRESS, PlannedPort
from konverge.cluster.proxy.relay import Relay

_FIRST_FREE: Final = 1024  # below it a port is for those with the right to it
_ABOVE: Final = 8000  # 80 is then 8080
_BACKLOG: Final = 1024


@dataclass(frozen=True, slots=True)
class Place:
    """Where a port is served."""

    address: str
    number: int

    def __str__(self) -> str:
        return f"{self.address}:{self.number}"


def places(port: PlannedPort, before: str = "") -> list[Place]:
    """Return where to try to serve a port, the best first; `before` is where it was served last, if elsewhere."""
    found = [Place(port.address, port.number)]
    address, _, number = before.rpartition(":")
    if _is_loopback(address) and number.isascii() and number.isdigit():
        found.append(Place(address, int(number)))
    if port.number < _FIRST_FREE:
        found.append(Place(port.address, port.number + _ABOVE))
    return [*found, Place(NODE_ADDRESS, 0)]


def _is_loopback(text: str) -> bool:
    """Say whether an address is this machine's own; an annotation must not open a port to others."""
    try:
        return ipaddress.ip_address(text).is_loopback
    except ValueError:
        return False


class Listener:
    """A bound port, and the connections that came by it; these outlive it until they end."""

    def __init__(self, port: PlannedPort, tasks: set[asyncio.Task[None]]) -> None:
        self.port = port
        self.place = Place(port.address, port.number)
        self.fault = ""  # why it is not served where it should be
        self._balancer = Balancer()
        self._tasks = tasks
        self._server: asyncio.Server | None = None
        self.update(port)

    def update(self, port: PlannedPort) -> None:
        """Deal new connections to these targets."""
        self.port = port
        self._balancer.update(port.targets, port.affinity)

    async def bind(self, before: str = "") -> None:
        """Listen at the first place where that is possible. Raises `OSError` where none is."""
        faults: list[OSError] = []
        for place in places(self.port, before):
            try:
                self._server = await asyncio.start_server(
                    self._accept, place.address, place.number, backlog=_BACKLOG, limit=1 << 18
                )
            except OSError as error:
                faults.append(error)
                continue
            self.place = Place(place.address, self._server.sockets[0].getsockname()[1])
            self.fault = bind_fault(faults[0]) if faults else ""
            return
        raise faults[0]

    def close(self) -> None:
        """Take no more connections."""
        if self._server is not None:
            self._server.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Serve a connection in a task of ours: one that asyncio makes logs a stack trace when it is cancelled."""
        task = asyncio.create_task(self._relay(reader, writer), name=f"connection to {self.place}")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        loop = asyncio.get_running_loop()
        client = str((writer.get_extra_info("peername") or ("",))[0])
        order = self._balancer.order(client, loop.time())
        relay = Relay(reader, writer)
        await relay.run(order, lambda target: self._balancer.connected(client, target, loop.time()))


def bind_fault(error: OSError) -> str:
    """Say why a port could not be bound."""
    reasons: dict[int, str] = {
        errno.EACCES: "ports below 1024 need a right that this user does not have",
        errno.EADDRINUSE: "another program listens there",
        errno.EADDRNOTAVAIL: "this machine has no such address",
    }
    number = error.errno or 0
    return reasons.get(number) or os.strerror(number)
