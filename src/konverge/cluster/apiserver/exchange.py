"""What passes between an edge and the core: a request as it came in, and its answer or stream."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

JSON = "application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """What an edge knows of the one who asks, before anyone has judged it.

    A certificate stands here only when its chain was verified against the server's client CA.
    """

    common_name: str = ""
    organizations: tuple[str, ...] = ()
    fingerprint: str = ""  # of the certificate: its SHA-256 in hexadecimal digits
    is_trusted: bool = False  # in process: the caller holds the server itself, and is its administrator


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One request, as an edge read it."""

    method: str
    path: str  # percent-decoded
    query: tuple[tuple[str, str], ...] = ()  # in order, percent-decoded, repeated names kept
    headers: Mapping[str, str] = field(default_factory=dict)  # names in lower case
    body: bytes = field(default=b"", repr=False)
    peer: Peer = Peer()

    def header(self, name: str) -> str:
        """Return a header by its lower-case name, or an empty text."""
        return self.headers.get(name, "")

    def parameter(self, name: str) -> str:
        """Return the first value of a query parameter, or an empty text."""
        return next((value for found, value in self.query if found == name), "")

    def parameters(self, name: str) -> tuple[str, ...]:
        """Return every value of a query parameter."""
        return tuple(value for found, value in self.query if found == name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """A whole answer."""

    status: int
    body: bytes = field(default=b"", repr=False)
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """An answer whose bytes come as they happen: a watch. Whoever takes it must close `chunks` (`aclose`)."""

    status: int
    chunks: AsyncIterator[bytes]
    content_type: str = JSON
    headers: tuple[tuple[str, str], ...] = ()


class Duplex(Protocol):
    """A connection that bytes go both ways on."""

    async def receive(self) -> bytes:
        """Return what has come, when something has; nothing once the other side has ended."""
        ...

    async def send(self, data: bytes) -> None:
        """Send bytes; waits while the other side is behind. Raises `ConnectionError` when it is gone."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Upgrade:
    """An answer after which the connection speaks another protocol; whoever takes it must call `serve`, once."""

    protocol: str
    serve: Callable[[Duplex], Awaitable[None]]  # the connection is its own until it returns
    headers: tuple[tuple[str, str], ...] = ()
    status: int = 101
    content_type: str = ""


Answer = Response | Stream | Upgrade
