"""The fence: a leader whose lease may be over writes no more, whatever its code is doing.

A process can be stopped (SIGSTOP, a paused machine, a long garbage collection) and wake up as a leader of the past.
So each write is checked against the loop's clock when it is handed to the transport: past the renew deadline, counted
from when the last successful renewal was *sent*, it is refused with `NotLeader`. One that still waits when the deadline
comes (for a free connection, for credentials, for its answer) is given up with the same error: what had not been sent
by then is not sent any more. Others take over no sooner than the lease duration after that renewal, so there are
`lease_duration - renew_deadline` seconds (5 by default) between our last write and their first.

What remains, and cannot be closed from this side: a write that was sent before the deadline and that the server acts on
only later; a process that is stopped between the last look at the clock and the moment the kernel has the bytes, for
longer than those seconds; or a network that delivers them that late. Such a write takes effect after the new leader's
first. Updates carry a resourceVersion and meet a conflict then; server-side
applies, patches without one and deletes without preconditions do not. And a clock that stands while the machine
sleeps (CLOCK_MONOTONIC in a suspended virtual machine) does not see that time pass.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.errors import KonvergeError


class NotLeader(KonvergeError):
    """The write was not sent, or not waited for any longer: the lease may be somebody else's by now.

    Do not retry; this process is stopping.
    """


class Fence:
    """Until when this process may write; open until it first leads, since nothing that needs a leader runs before.

    Set by whoever renews, in whichever thread; asked on the loop that writes. Both read one monotonic clock.
    """

    def __init__(self, lease: str = "") -> None:
        self._lease = lease
        self._until = math.inf

    @property
    def until(self) -> float:
        """The loop's time after which writes are refused."""
        return self._until

    def renewed(self, until: float) -> None:
        """Let writes pass until then."""
        self._until = until

    def close(self) -> None:
        """Let no write pass any more."""
        self._until = -math.inf

    def check(self, request: ApiRequest) -> None:
        """Raise `NotLeader` for a write that comes too late."""
        if request.is_read or self._until == math.inf:
            return
        late = asyncio.get_running_loop().time() - self._until
        if late >= 0:
            since = f"{late:.1f} s ago" if math.isfinite(late) else "already"
            raise self._refusal(request, "refused", since)

    @asynccontextmanager
    async def passing(self, request: ApiRequest) -> AsyncIterator[None]:
        """Let a write pass that comes in time, and give it up when the deadline comes before its answer."""
        self.check(request)
        if request.is_read or self._until == math.inf:
            yield
            return
        watch = _Watch(self)
        try:
            async with watch.limit:
                watch.look()
                yield
        except TimeoutError as error:
            if not watch.limit.expired():
                raise
            raise self._refusal(request, "given up without an answer", "by now") from error
        finally:
            watch.end()

    def _refusal(self, request: ApiRequest, what: str, since: str) -> NotLeader:
        return NotLeader(
            f'{request.operation}: {what}, because the leader election lease "{self._lease}" was to be renewed '
            f"{since} and was not; another replica may lead now, so this one writes no more and must be restarted"
        )


class _Watch:
    """Lets a limit expire at the deadline of a fence, as it is when that time has come: a renewal moves it."""

    def __init__(self, fence: Fence) -> None:
        self.limit = asyncio.timeout(None)
        self._fence = fence
        self._timer: asyncio.TimerHandle | None = None

    def look(self) -> None:
        """Look at the fence now, and again at its deadline."""
        loop, until = asyncio.get_running_loop(), self._fence.until
        if until > loop.time():
            self._timer = loop.call_at(until, self.look)
        else:
            self.limit.reschedule(loop.time())

    def end(self) -> None:
        """Look no more."""
        if self._timer is not None:
            self._timer.cancel()


class FencedTransport:
    """A transport that lets writes pass only as long as its fence does. Put it below what retries."""

    def __init__(self, transport: Transport, fence: Fence) -> None:
        self.transport = transport
        self.fence = fence

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on, if it may pass."""
        if request.is_read:
            return await self.transport.call(request)
        async with self.fence.passing(request):
            return await self.transport.call(request)

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass a stream on, if it may pass."""
        self.fence.check(request)
        async with self.transport.stream(request) as chunks:
            yield chunks

    async def close(self) -> None:
        """Close the transport below."""
        await self.transport.close()
