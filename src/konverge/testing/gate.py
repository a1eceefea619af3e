"""Gate: holds requests of a manager on their way to the API server, so that a test decides what happens meanwhile.

A reconcile that waits at the gate has read and decided, and has not written yet: the moment in which everything that
can go wrong between a look and a write does. Without a gate a test can only hope to hit it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractAsyncContextManager, contextmanager
from typing import Final

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import Operation
from konverge.testing.waiting import WITHIN, looked

_ANY: Final = ""


class Gate:
    """Stands before the API server: `cluster.manager(gate=gate)`, for one manager or for several at once.

    ::

        with gate.hold("update", "secrets") as held:
            await client.create(converter())    # the operator looks, decides, and comes to the gate
            await held.reached()
            await someone_else_writes()
        # left: what waits goes on, and meets a conflict for certain

    What no `hold` is for passes. Watches always do.
    """

    def __init__(self) -> None:
        self._holds: list[Hold] = []

    def __repr__(self) -> str:
        return f"<Gate: {', '.join(map(repr, self._holds)) or 'open'}>"

    @contextmanager
    def hold(self, verb: str = _ANY, resource: str = _ANY, *, name: str = _ANY) -> Iterator[Hold]:
        """Hold requests in the block; they go on when it is left, in the order in which they came.

        `verb` and `resource` are RBAC's: "create", "patch" (server-side apply too), "deployments",
        "deployments/status". One that is left out stands for any, but reads are held only if a verb says so.
        """
        made = Hold(verb, resource, name)
        self._holds.append(made)
        try:
            yield made
        finally:
            self._holds.remove(made)
            made.release()

    def before(self, transport: Transport) -> Transport:
        """Return a transport that comes to this gate first; `cluster.manager(gate=…)` asks for it."""
        return _Gated(self, transport)

    async def pass_(self, request: ApiRequest) -> None:
        """Wait as long as a block holds a request; where several do, for each of them."""
        for hold in tuple(self._holds):
            if hold.is_for(request):
                await hold.wait(request.operation)


class Hold:
    """What waits at the gate in one block."""

    def __init__(self, verb: str, resource: str, name: str) -> None:
        self._wanted = (verb, resource, name)
        self._waiting: list[tuple[Operation, asyncio.Event]] = []
        self._is_open = False

    def __repr__(self) -> str:
        verb, resource, name = (part or "*" for part in self._wanted)
        return f"<Hold {verb} {resource} {name}: {len(self._waiting)} waiting>"

    @property
    def waiting(self) -> list[Operation]:
        """What waits, the first that came first."""
        return [operation for operation, _ in self._waiting]

    async def reached(self, count: int = 1, *, within: float = WITHIN) -> list[Operation]:
        """Wait until so many requests wait here, and return what they ask for."""

        async def are_here() -> bool:
            return len(self._waiting) >= count

        is_so, _ = await looked(are_here, within=within)
        if not is_so:
            raise AssertionError(f"{len(self._waiting)} of {count} requests are here after {within:g} s: {self!r}")
        return self.waiting

    def let_go(self) -> None:
        """Let the one go that has waited longest; the others stay."""
        if not self._waiting:
            raise AssertionError(f"nothing waits at {self!r}: `await held.reached()` first")
        self._waiting.pop(0)[1].set()

    def release(self) -> None:
        """Let all go, and hold nothing more."""
        self._is_open = True
        while self._waiting:
            self.let_go()

    def is_for(self, request: ApiRequest) -> bool:
        """Whether a request is to be held."""
        operation, (verb, resource, name) = request.operation, self._wanted
        if not verb and request.is_read:
            return False
        return all(
            wanted in (_ANY, found)
            for wanted, found in ((verb, operation.verb), (resource, operation.resource), (name, operation.name))
        )

    async def wait(self, operation: Operation) -> None:
        """Stay until let go; who is cancelled meanwhile waits no more."""
        if self._is_open:
            return
        place = (operation, asyncio.Event())
        self._waiting.append(place)
        try:
            await place[1].wait()
        finally:
            if place in self._waiting:
                self._waiting.remove(place)


class _Gated:
    """Passes everything on, calls through the gate."""

    def __init__(self, gate: Gate, transport: Transport) -> None:
        self._gate = gate
        self._transport = transport

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on when the gate lets it."""
        await self._gate.pass_(request)
        return await self._transport.call(request)

    def stream(self, request: ApiRequest) -> AbstractAsyncContextManager[AsyncIterator[bytes]]:
        """Pass a stream on."""
        return self._transport.stream(request)

    async def close(self) -> None:
        """Close the transport behind the gate."""
        await self._transport.close()
