"""`reach`: a TCP socket to a host, by whichever of its addresses answers first (RFC 8305).

asyncio can do this too, but Python 3.11's loses a socket when it is cancelled just after it connected.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Sequence
from itertools import chain, zip_longest
from typing import Any

_NEXT_ADDRESS = 0.25  # seconds until the next address is tried beside the one before

Address = tuple[int, int, int, str, Any]  # as getaddrinfo gives them: family, type, protocol, name, address


async def reach(host: str, port: int) -> socket.socket:
    """Return a connected socket, or raise the OSError of the first address that failed."""
    addresses = in_turns(await _addresses(host, port))
    if len(addresses) == 1:
        return await _connect(addresses[0])
    return await _race(addresses)


def in_turns(addresses: Sequence[Address]) -> list[Address]:
    """Return addresses of two families in turns, so that one family that leads nowhere does not come first."""
    first = [address for address in addresses if address[0] == addresses[0][0]]
    others = [address for address in addresses if address[0] != addresses[0][0]]
    return [address for address in chain.from_iterable(zip_longest(first, others)) if address is not None]


async def _addresses(host: str, port: int) -> Sequence[Address]:
    kind = socket.SOCK_STREAM
    try:
        try:  # an address needs no thread
            return socket.getaddrinfo(host, port, type=kind, flags=socket.AI_NUMERICHOST)
        except socket.gaierror:
            return await asyncio.get_running_loop().getaddrinfo(host, port, type=kind)
    except UnicodeError as error:  # from the encoding of names in DNS
        raise OSError(f"{host!r} is no name of a host") from error


async def _connect(address: Address) -> socket.socket:
    family, kind, protocol, _, where = address
    opened = socket.socket(family, kind, protocol)
    try:
        opened.setblocking(False)
        await asyncio.get_running_loop().sock_connect(opened, where)
    except BaseException:
        opened.close()
        raise
    return opened


async def _race(addresses: list[Address]) -> socket.socket:
    """Try each address a moment after the one before, or at once when all before it failed; the first one wins."""
    tries: list[asyncio.Task[socket.socket]] = []
    winner: asyncio.Task[socket.socket] | None = None
    try:
        for number, address in enumerate(addresses, 1):
            tries.append(asyncio.create_task(_connect(address)))
            last = number == len(addresses)
            while (running := [each for each in tries if not each.done()]) and winner is None:
                wait = None if last else _NEXT_ADDRESS
                done, _ = await asyncio.wait(running, timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                winner = next((each for each in tries if each in done and not each.exception()), None)
                if not done:
                    break
            if winner is not None:
                return winner.result()
        raise tries[0].exception() or OSError("no address answered")
    finally:
        for each in tries:
            if each is not winner:
                each.cancel()
                each.add_done_callback(_discard)


def _discard(lost: asyncio.Task[socket.socket]) -> None:
    """Close the socket of an address that came second."""
    if not lost.cancelled() and not lost.exception():
        lost.result().close()
