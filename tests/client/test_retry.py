from __future__ import annotations

import asyncio
import selectors
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from typing import TYPE_CHECKING, Any

import pytest

import konverge as kv
from konverge.api import request
from konverge.api.request import ApiRequest
from konverge.client.retry import RetryingTransport, delay_before_retry
from konverge.client.transport import ApiResponse
from konverge.errors import (
    ConnectionFailed,
    InternalError,
    KonvergeError,
    Timeout,
    TooManyRequests,
    Unavailable,
)
from konverge.models import core_v1

if TYPE_CHECKING:
    from tests.client.conftest import Loopback

AT_ONCE = kv.RetryPolicy(attempts=4, first_delay=0)
READ = request.raw("/version")
WRITE = ApiRequest(method="POST", path="/x", operation=READ.operation, body=b"{}")


def config_map() -> core_v1.ConfigMap:
    """A ConfigMap in some namespace."""
    return core_v1.ConfigMap(metadata=kv.ObjectMeta(name="a", namespace="x"))


@pytest.mark.parametrize("fault", ["CUT", "MID_BODY", "MID_HEADERS"])
async def test_a_read_is_repeated(loopback: Loopback, fault: str) -> None:
    """A read whose connection breaks, wherever in the answer, is asked again."""
    broken = getattr(loopback, fault)
    loopback.answers = [broken, broken, loopback.json({"major": "1"})]
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        assert await client.version() == {"major": "1"}
    assert len(loopback.seen) == 3


@pytest.mark.parametrize("fault", ["CUT", "MID_BODY", "MID_HEADERS"])
async def test_a_write_is_not_repeated(loopback: Loopback, fault: str) -> None:
    """A write whose connection breaks may have happened: it is sent once, on a fresh connection or on a used one."""
    obj = kv.replace(config_map())
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        for verb in (client.create, client.update, client.apply, client.delete):
            loopback.answers = [loopback.json({}), getattr(loopback, fault)]
            loopback.seen.clear()
            await client.version()  # leaves a connection in the pool
            with pytest.raises(ConnectionFailed, match='configmaps "x/a"'):
                await verb(obj)
            assert len(loopback.seen) == 2


async def test_attempts_are_a_limit_for_reads(loopback: Loopback) -> None:
    """A server that never answers is asked as often as the policy says, counted on the server's side."""
    loopback.answers = [loopback.json({}), loopback.CUT]
    for attempts in (1, 3):
        async with kv.Client.connect(
            loopback.config(), retry=kv.RetryPolicy(attempts=attempts, first_delay=0)
        ) as client:
            loopback.answers = [loopback.json({}), loopback.CUT]
            await client.version()  # leaves a connection in the pool, which must not be repeated on unseen
            loopback.seen.clear()
            with pytest.raises(ConnectionFailed):
                await client.version()
            assert len(loopback.seen) == attempts


@pytest.mark.parametrize(("code", "reason"), [(429, "TooManyRequests"), (503, "ServiceUnavailable"), (503, "")])
async def test_a_busy_server(loopback: Loopback, code: int, reason: str) -> None:
    """A server that says when to come back did nothing yet: reads and writes are sent again."""
    busy = loopback.status(code, reason, Retry_After="0")
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        for verb in (client.create, client.delete):
            loopback.answers = [busy, busy, loopback.json({"kind": "ConfigMap", "metadata": {"name": "a"}})]
            loopback.seen.clear()
            await verb(config_map())
            assert len(loopback.seen) == 3
            assert len({(seen.method, seen.body) for seen in loopback.seen}) == 1


@pytest.mark.parametrize(("code", "error"), [(429, TooManyRequests), (503, Unavailable)])
async def test_a_busy_server_that_says_no_time(loopback: Loopback, code: int, error: type[KonvergeError]) -> None:
    """Without a Retry-After nothing is known, so nothing is repeated."""
    loopback.answers = [loopback.status(code)]
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        with pytest.raises(error):
            await client.version()
    assert len(loopback.seen) == 1


@pytest.mark.parametrize(("code", "error"), [(500, InternalError), (502, Unavailable), (504, Timeout)])
async def test_failures_are_not_repeated(loopback: Loopback, code: int, error: type[KonvergeError]) -> None:
    """A failure behind which the work may have been done is not repeated, Retry-After or not."""
    loopback.answers = [loopback.status(code, Retry_After="0")]
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        with pytest.raises(error):
            await client.create(config_map())
    assert len(loopback.seen) == 1


async def test_attempts_are_a_limit_for_busy_servers(loopback: Loopback) -> None:
    """A server that stays busy is asked as often as the policy says, and then its answer is raised."""
    loopback.answers = [loopback.status(429, Retry_After="0")]
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        with pytest.raises(TooManyRequests):
            await client.version()
    assert len(loopback.seen) == 4


async def test_a_watch_is_opened_again(loopback: Loopback) -> None:
    """The opening of a stream is repeated like any read."""
    event = '{"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"9"}}}\n'
    loopback.answers = [loopback.CUT, loopback.status(429, Retry_After="0"), loopback.text(event)]
    async with kv.Client.connect(loopback.config(), retry=AT_ONCE) as client:
        assert [each.object.metadata.resource_version async for each in client.watch(core_v1.ConfigMap)] == ["9"]
    assert len(loopback.seen) == 3


def test_decisions() -> None:
    """Each combination of request and error has one decision, and the last attempt has none."""
    policy = kv.RetryPolicy(attempts=3, first_delay=0.5)
    broken = ConnectionFailed("cut")
    busy = TooManyRequests("busy", code=429, retry_after=7)
    assert [delay_before_retry(READ, broken, attempt, policy) for attempt in (1, 2, 3)] == [0.5, 1.0, None]
    assert delay_before_retry(WRITE, broken, 1, policy) is None
    assert [delay_before_retry(WRITE, busy, attempt, policy) for attempt in (1, 3)] == [7, None]
    assert delay_before_retry(READ, Unavailable("down", code=503), 1, policy) is None
    assert delay_before_retry(READ, kv.errors.Conflict("no"), 1, policy) is None


# --- time: no sockets, so the loop may jump over every wait ---


class _Jump(selectors.SelectSelector):
    """Lets time pass instead of waiting."""

    passed = 0.0

    def select(self, timeout: float | None = None) -> Any:
        """Take the time for gone."""
        self.passed += timeout or 0
        return super().select(0)


class _JumpingLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jump = _Jump()
        super().__init__(self._jump)

    def time(self) -> float:
        """The time that has been jumped over."""
        return self._jump.passed


class Failing:
    """A transport that fails with the same error until it is told to answer."""

    def __init__(self, error: KonvergeError, *, times: int, after: float = 0) -> None:
        self.error = error
        self.after = after
        self.left = times
        self.at: list[float] = []

    async def call(self, _request: ApiRequest) -> ApiResponse:
        """Fail, or answer in the end."""
        self.at.append(round(asyncio.get_running_loop().time(), 3))
        self.left -= 1
        await asyncio.sleep(self.after)
        if self.left >= 0:
            raise self.error
        return ApiResponse(status=200, body=b"{}")

    @asynccontextmanager
    async def stream(self, _request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Not used here."""
        raise NotImplementedError
        yield

    async def close(self) -> None:
        """Nothing to close."""


def attempts(failing: Failing, policy: kv.RetryPolicy, call: ApiRequest = READ) -> list[float]:
    """Run one call and return when each attempt was made."""

    async def main() -> None:
        with suppress(type(failing.error)):
            await RetryingTransport(failing, policy).call(call)

    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        runner.run(main())
    return failing.at


def test_waits_grow() -> None:
    """A read is repeated after waits that double."""
    policy = kv.RetryPolicy(attempts=5, first_delay=0.1)
    assert attempts(Failing(ConnectionFailed("cut"), times=9), policy) == [0, 0.1, 0.3, 0.7, 1.5]


def test_the_servers_time_is_kept() -> None:
    """A busy server is asked again after the time it named."""
    busy = TooManyRequests("busy", code=429, retry_after=3)
    assert attempts(Failing(busy, times=2), kv.RetryPolicy(), WRITE) == [0, 3, 6]


def test_the_limit_of_all_waits() -> None:
    """The waits of one call together stay within the limit; a longer one is not begun."""
    busy = TooManyRequests("busy", code=429, retry_after=3)
    assert attempts(Failing(busy, times=9), kv.RetryPolicy(attempts=9, max_wait=7)) == [0, 3, 6]
    long = TooManyRequests("busy", code=429, retry_after=3600)
    assert attempts(Failing(long, times=9), kv.RetryPolicy()) == [0]


def test_time_without_an_answer_counts() -> None:
    """A server that swallows a read for a minute is not asked again: the time of a try counts like a wait."""
    late = ConnectionFailed("did not answer in time")
    assert attempts(Failing(late, times=9, after=60), kv.RetryPolicy()) == [0]
    assert attempts(Failing(late, times=9, after=12), kv.RetryPolicy(first_delay=1)) == [0, 13, 27]


def test_cancelled_while_waiting() -> None:
    """A cancellation during a wait ends the call, and nothing more is sent."""
    failing = Failing(ConnectionFailed("cut"), times=9)

    async def main() -> None:
        policy = kv.RetryPolicy(first_delay=10)
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(5):
                await RetryingTransport(failing, policy).call(READ)

    with asyncio.Runner(loop_factory=_JumpingLoop) as runner:
        runner.run(main())
    assert failing.at == [0]
