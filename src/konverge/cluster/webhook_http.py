"""HttpWebhooks: reviews over HTTPS, connections kept for the next one; errors in the words of Go's client."""

from __future__ import annotations

import errno
import ssl
from functools import partial
from typing import Final

from konverge.client.http1.body import BadAnswer
from konverge.client.http1.connection import Connection
from konverge.client.http1.dial import dial
from konverge.client.http1.pool import Pool
from konverge.client.http1.route import Place, Route
from konverge.client.http1.wire import request_head
from konverge.cluster.apiserver.admission.webhook_caller import CallFailed, HalfAnswer, NoClient, WebhookAnswer

Address = tuple[str, int]

_LIMIT: Final = 100  # connections to one webhook
_LAST_PORT: Final = 65535
_MOST_READ: Final = 16 << 20  # bytes of an answer; the real server reads whatever comes
_CUT: Final = "unexpected error when reading response body. Please retry. Original error: unexpected EOF"
_AGENT: Final = "kube-apiserver-admission"
_NO_BUNDLE: Final = "unable to load root certificates: unable to parse bytes as PEM block"
# OpenSSL's numbers of what can be wrong with a certificate.
_EXPIRED, _NOT_YET, _HOST, _ADDRESS = 10, 9, 62, 64


class HttpWebhooks:
    """Posts reviews; `close` it."""

    def __init__(self) -> None:
        self._pools: dict[tuple[Address, str, bytes], tuple[Pool, ssl.SSLContext]] = {}

    async def close(self) -> None:
        """Close the connections that were kept."""
        for pool, _ in self._pools.values():
            await pool.close()
        self._pools.clear()

    async def post(self, address: Address, name: str, target: str, *, body: bytes, bundle: bytes) -> WebhookAnswer:
        """POST a review to where a certificate of this name must be shown; raises `CallFailed`."""
        if address[1] > _LAST_PORT:
            raise CallFailed(f"dial tcp: address {address[1]}: invalid port")
        pool, context = self._pool(address, name, bundle)
        try:
            connection = await pool.take(context)
        except OSError as error:
            raise CallFailed(_unreached(error, address, name)) from error
        try:
            return await _posted(connection, _head(Place(name, address[1], tls=True), target, body), body)
        except BaseException:
            connection.abort()
            raise
        finally:
            pool.give_back(connection)

    def _pool(self, address: Address, name: str, bundle: bytes) -> tuple[Pool, ssl.SSLContext]:
        key = (address, name, bundle)
        found = self._pools.get(key)
        if found is None:
            route = Route(server=Place(*address, tls=True), server_name=name, prefix="")
            found = self._pools[key] = (Pool(partial(dial, route), limit=_LIMIT), _context(bundle))
        return found


async def _posted(connection: Connection, head: bytes, body: bytes) -> WebhookAnswer:
    try:
        answer = await connection.open(head, body)
    except (OSError, BadAnswer) as error:
        raise CallFailed("EOF" if isinstance(error, ConnectionError) else str(error)) from error
    content = bytearray()
    try:
        while piece := await connection.read():
            content += piece
            if len(content) > _MOST_READ:
                raise HalfAnswer(f"the answer has more than {_MOST_READ} bytes")
    except (OSError, BadAnswer) as error:
        raise HalfAnswer(_CUT) from error
    return WebhookAnswer(answer.status, bytes(content), answer.header("content-type") or "")


def _head(place: Place, target: str, body: bytes) -> bytes:
    headers = [
        ("Host", place.authority),
        ("User-Agent", _AGENT),
        ("Content-Type", "application/json"),
        ("Accept", "application/json, */*"),
        ("Content-Length", str(len(body))),
    ]
    return request_head("POST", target, headers)


def _context(bundle: bytes) -> ssl.SSLContext:
    if not bundle.strip():
        return ssl.create_default_context()
    try:
        context = ssl.create_default_context(cadata=bundle.decode("utf-8", "replace"))
    except (ssl.SSLError, ValueError):
        raise NoClient(_NO_BUNDLE) from None
    context.set_alpn_protocols(["http/1.1"])
    return context


def _unreached(error: OSError, address: Address, name: str) -> str:
    """Say as Go does why nobody answers."""
    host, port = address
    if isinstance(error, ssl.SSLCertVerificationError):
        return f"tls: failed to verify certificate: x509: {_certificate_fault(error, name)}"
    if isinstance(error, ssl.SSLError):
        return f"remote error: tls: {error.reason or error}"
    shown = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"
    why = "connection refused" if error.errno == errno.ECONNREFUSED else (error.strerror or str(error)).lower()
    return f"dial tcp {shown}: connect: {why}"


def _certificate_fault(error: ssl.SSLCertVerificationError, name: str) -> str:
    if error.verify_code in (_EXPIRED, _NOT_YET):
        return "certificate has expired or is not yet valid"
    if error.verify_code == _ADDRESS:
        return f"cannot validate certificate for {name} because it doesn't contain any IP SANs"
    if error.verify_code == _HOST:
        return f"certificate is not valid for any names, but wanted to match {name}"
    return "certificate signed by unknown authority"
