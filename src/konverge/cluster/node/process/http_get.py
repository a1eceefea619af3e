"""An HTTP GET as probes and hooks make it: one request, the status and the beginning of the answer.

A certificate is not checked, as a kubelet does not check it: it asks whether the container is well, not who it is.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Iterable
from typing import Final

import msgspec

from konverge.version import KUBERNETES

_MOST: Final = 10 * 1024  # bytes of the answer that are read
_AGENT: Final = f"kube-probe/{'.'.join(KUBERNETES.removeprefix('v').split('.')[:2])}"


class HttpGet(msgspec.Struct, frozen=True, kw_only=True):
    """Where to ask, and how."""

    host: str
    port: int
    path: str
    tls: bool = False
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def url(self) -> str:
        """The address as errors name it."""
        return f"{'https' if self.tls else 'http'}://{self.host}:{self.port}{self.path}"

    def request(self) -> bytes:
        """Return the request's bytes."""
        given = {name.lower() for name, _ in self.headers}
        usual = (("Host", f"{self.host}:{self.port}"), ("User-Agent", _AGENT), ("Accept", "*/*"))
        headers = [*self.headers, *((name, value) for name, value in usual if name.lower() not in given)]
        lines = [f"GET {self.path} HTTP/1.1", *_lines(headers), "Connection: close", "", ""]
        return "\r\n".join(lines).encode()


def _lines(headers: Iterable[tuple[str, str]]) -> list[str]:
    return [f"{name}: {value}".replace("\r", "").replace("\n", "") for name, value in headers]


async def http_get(get: HttpGet) -> int:
    """Return the status of the answer; raises `OSError` and `ValueError` where there is none. Set a timeout."""
    reader, writer = await asyncio.open_connection(get.host, get.port, ssl=_unchecked() if get.tls else None)
    try:
        writer.write(get.request())
        await writer.drain()
        return read_status(await reader.readline())
    finally:
        writer.transport.abort()


def read_status(line: bytes) -> int:
    """Return the status of an answer's first line."""
    fields = line[:_MOST].split()
    if len(fields) > 1 and fields[0].startswith(b"HTTP/") and fields[1].isdigit():
        return int(fields[1])
    raise ValueError("malformed HTTP response")


def _unchecked() -> ssl.SSLContext:
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context
