"""`Route`: where the connections of a config go and how its requests address the server, as a frozen value.

Nothing here shows what the proxy's URL holds: a repr of it has no password.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import SplitResult, unquote, urlsplit

from konverge.client.config import Config

_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Place:
    """A host and a port, reached with TLS or without."""

    host: str
    port: int
    tls: bool

    @classmethod
    def of(cls, url: SplitResult) -> Self:
        """Return the place that a URL names."""
        return cls(_ascii(url.hostname or ""), url.port or _PORTS[url.scheme], url.scheme == "https")

    @property
    def server_name(self) -> str:
        """The name that its certificate must carry: one without the dot of a full name."""
        return self.host.rstrip(".")

    @property
    def address(self) -> str:
        """Host and port as a proxy is told them."""
        return f"{self._bracketed}:{self.port}"

    @property
    def authority(self) -> str:
        """Host and port as the server is told them: a usual port is left out."""
        return self._bracketed if self.port == _PORTS["https" if self.tls else "http"] else self.address

    @property
    def _bracketed(self) -> str:
        return f"[{self.host}]" if ":" in self.host else self.host


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The way to a server, through a proxy or not."""

    server: Place
    server_name: str  # what the server's certificate must carry
    prefix: str = field(repr=False)  # before the path of every request
    proxy: Place | None = None
    proxy_authorization: str | None = field(default=None, repr=False)

    @classmethod
    def of(cls, config: Config) -> Self:
        """Return the way that a config describes."""
        url = urlsplit(config.server)
        server = Place.of(url)
        proxy = urlsplit(config.proxy_url) if config.proxy_url else None
        # A proxy to plain http is asked for whole URLs; through one to https, a tunnel leads to the server itself.
        absolute = proxy is not None and not server.tls
        return cls(
            server=server,
            server_name=config.tls.tls_server_name or server.server_name,
            prefix=f"http://{server.authority}{url.path}" if absolute else url.path,
            proxy=Place.of(proxy) if proxy else None,
            proxy_authorization=_basic(proxy) if proxy else None,
        )

    @property
    def first(self) -> Place:
        """Where the connection itself goes."""
        return self.proxy or self.server

    @property
    def tunnelled(self) -> bool:
        """Whether the proxy is asked for a tunnel, and not for each answer."""
        return self.proxy is not None and self.server.tls

    def proxy_headers(self) -> list[tuple[str, str]]:
        """Return what the proxy is told about who asks."""
        return [("Proxy-Authorization", self.proxy_authorization)] if self.proxy_authorization else []

    def request_headers(self) -> list[tuple[str, str]]:
        """Return what every request begins with: whose it is, and to a proxy that serves it, who asks."""
        return [("Host", self.server.authority), *([] if self.tunnelled else self.proxy_headers())]


def _ascii(host: str) -> str:
    """Return a name as DNS, TLS and HTTP spell it; one that has no such form is left for the resolver to refuse."""
    try:
        return host if host.isascii() else host.encode("idna").decode()
    except UnicodeError:
        return host


def _basic(url: SplitResult) -> str | None:
    """Return the header that the user and the password of a URL are."""
    if not url.username and not url.password:
        return None
    pair = f"{unquote(url.username or '')}:{unquote(url.password or '')}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"
