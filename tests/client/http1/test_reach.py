from __future__ import annotations

import asyncio
import socket

import pytest

from konverge.client.http1.reach import Address, _race, in_turns, reach


def address(host: str, port: int, family: int = socket.AF_INET) -> Address:
    """An address as the resolver gives it."""
    return (family, socket.SOCK_STREAM, 0, "", (host, port))


async def listener() -> asyncio.Server:
    """A server that ends every connection at once."""
    return await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0)


def test_families_take_turns() -> None:
    """IPv6 and IPv4 alternate, in the order of the resolver within each."""
    six = [address(host, 1, socket.AF_INET6) for host in ("::1", "::2", "::3")]
    four = [address("127.0.0.1", 1)]
    assert in_turns([*six, *four]) == [six[0], four[0], six[1], six[2]]
    assert in_turns(four) == four


async def test_an_address_that_refuses_is_passed_over() -> None:
    """When an address fails, the next is tried at once, and the last one's success counts."""
    async with await listener() as server:
        port = server.sockets[0].getsockname()[1]
        with await _race([address("127.0.0.1", 1), address("127.0.0.1", 1), address("127.0.0.1", port)]) as reached:
            assert reached.getpeername() == ("127.0.0.1", port)


async def test_an_address_that_is_silent_is_not_waited_for() -> None:
    """The next address is tried beside one that says nothing, whose socket is closed then."""
    with socket.socket() as full:
        full.bind(("127.0.0.1", 0))
        full.listen(0)
        silent = full.getsockname()[1]
        waiting = [socket.socket() for _ in range(4)]  # nobody accepts them, so that the next is left without an answer
        for each in waiting:
            each.setblocking(False)
            each.connect_ex(("127.0.0.1", silent))
        async with await listener() as server:
            port = server.sockets[0].getsockname()[1]
            with await _race([address("127.0.0.1", silent), address("127.0.0.1", port)]) as reached:
                assert reached.getpeername() == ("127.0.0.1", port)
        for each in waiting:
            each.close()


async def test_nobody_there() -> None:
    """If all fail, the first one's error is raised; a name that is none is an OSError too."""
    with pytest.raises(ConnectionRefusedError):
        await _race([address("127.0.0.1", 1), address("127.0.0.1", 2)])
    for host in ("127.0.0.1", "localhost"):
        with pytest.raises(OSError, match="onnect"):
            await reach(host, 1)
    for name in ("a..b", "x" * 70 + ".example"):
        with pytest.raises(OSError):  # noqa: PT011 - the resolver's words differ
            await reach(name, 1)


async def test_a_name() -> None:
    """A name is resolved, and the address of it that answers is taken."""
    async with await listener() as server:
        port = server.sockets[0].getsockname()[1]
        with await reach("localhost", port) as reached:
            assert reached.getpeername()[1] == port


async def test_cancellation_leaves_no_socket() -> None:
    """Whenever it is cancelled, every socket is closed: a forgotten one would be a warning, and warnings are errors."""
    async with await listener() as server:
        port = server.sockets[0].getsockname()[1]
        for rounds in range(8):
            race = asyncio.create_task(_race([address("127.0.0.1", port)] * 3))
            for _ in range(rounds):
                await asyncio.sleep(0)
            if race.done():
                race.result().close()
            race.cancel()
            await asyncio.gather(race, return_exceptions=True)
        await asyncio.sleep(0)
        await asyncio.sleep(0)
