"""`dial`: opens a connection along a route: TCP, the proxy's TLS and tunnel if there are any, the server's TLS."""

from __future__ import annotations

import asyncio
import ssl

from konverge.client.http1.body import BadAnswer
from konverge.client.http1.connection import Connection
from konverge.client.http1.reach import reach
from konverge.client.http1.route import Place, Route
from konverge.client.http1.wire import request_head
from konverge.version import USER_AGENT

_OK = range(200, 300)


class ProxyFailed(Exception):
    """The proxy did not lead to the server; says why, and nothing of its URL, which may hold a password."""


async def dial(route: Route, context: ssl.SSLContext | None, connection: Connection) -> None:
    """Connect; `context` is for TLS to the server, and as in Go also for TLS to the proxy."""
    if route.proxy is None:
        await _connect(route.first, connection)
    else:
        try:
            await _connect_to_proxy(route, route.proxy, context, connection)
        except ssl.SSLCertVerificationError:
            raise ProxyFailed("its certificate is not trusted") from None
        except (OSError, BadAnswer):
            raise ProxyFailed("no connection to it") from None
    if context is not None:
        await connection.secure(context, route.server_name)
    connection.context = context


async def _connect(place: Place, connection: Connection) -> None:
    sock = await reach(place.host, place.port)
    await asyncio.get_running_loop().create_connection(lambda: connection, sock=sock)


async def _connect_to_proxy(route: Route, proxy: Place, context: ssl.SSLContext | None, connection: Connection) -> None:
    await _connect(proxy, connection)
    if proxy.tls:
        await connection.secure(context or ssl.create_default_context(), proxy.server_name)
    if route.tunnelled:
        await _tunnel(route, connection)


async def _tunnel(route: Route, connection: Connection) -> None:
    address = route.server.address
    headers = [("Host", address), ("User-Agent", USER_AGENT), *route.proxy_headers()]
    answer = await connection.call(request_head("CONNECT", address, headers), tunnel=True)
    if answer.status not in _OK:
        raise ProxyFailed(f"it answered {answer.status}")
    if answer.overrun:
        raise BadAnswer("the proxy sent more than its answer")  # the server's TLS waits for us to begin
