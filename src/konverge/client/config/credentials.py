"""`Credentials`: who the client is, as the HTTP transport asks for it before each request.

The forms that never change are here; those that do are `TokenFile` and `ExecPlugin`. No form shows a secret in its
repr or in an error.
"""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from typing import ClassVar, Protocol

from konverge.errors import ConfigError


@dataclass(frozen=True, slots=True)
class ClientCertificate:
    """A certificate chain and its private key, both PEM."""

    certificate: bytes = field(repr=False)
    key: bytes = field(repr=False)


class Credentials(Protocol):
    """Asked before each request, and told when the server refused what it gave.

    The transport sends `authorization()` as the Authorization header, presents `client_certificate()` in the TLS
    handshake where there is one (it wins over the one of `Tls`), and calls `invalidate` on a 401 answer.
    """

    kind: ClassVar[str]  # the form in one word, the only part of a credential that may be shown

    async def authorization(self) -> str | None:
        """Return the whole Authorization header, or None to send none."""
        ...

    async def client_certificate(self) -> ClientCertificate | None:
        """Return the certificate to present; another object than last time means: open new connections with it."""
        ...

    def invalidate(self, rejected: str | None = None) -> None:
        """Fetch anew next time, unless `rejected`, the header the server refused, is no longer the current one."""
        ...


@dataclass(frozen=True, slots=True)
class NoCredentials:
    """Anonymous, or known by the client certificate of `Tls` alone."""

    kind: ClassVar[str] = "none"

    async def authorization(self) -> str | None:
        """Send none."""
        return None

    async def client_certificate(self) -> ClientCertificate | None:
        """Leave it to `Tls`."""
        return None

    def invalidate(self, rejected: str | None = None) -> None:
        """Nothing can be fetched anew."""


@dataclass(frozen=True, slots=True)
class StaticToken:
    """A bearer token that stays as it is."""

    kind: ClassVar[str] = "token"

    token: str = field(repr=False)

    def __post_init__(self) -> None:
        bearer(self.token, source="the token")

    async def authorization(self) -> str | None:
        """Send the token."""
        return bearer(self.token, source="the token")

    async def client_certificate(self) -> ClientCertificate | None:
        """Leave it to `Tls`."""
        return None

    def invalidate(self, rejected: str | None = None) -> None:
        """Nothing can be fetched anew."""


@dataclass(frozen=True, slots=True)
class BasicAuth:
    """A user name and password, for what stands in front of an API server: the server itself no longer takes them."""

    kind: ClassVar[str] = "basic"

    username: str
    password: str = field(repr=False)

    async def authorization(self) -> str | None:
        """Send both, encoded as RFC 7617 says."""
        return f"Basic {b64encode(f'{self.username}:{self.password}'.encode()).decode()}"

    async def client_certificate(self) -> ClientCertificate | None:
        """Leave it to `Tls`."""
        return None

    def invalidate(self, rejected: str | None = None) -> None:
        """Nothing can be fetched anew."""


def bearer(token: str, *, source: str) -> str:
    """Return the header for a token, or raise a ConfigError that names where it came from, never the token."""
    token = token.strip()
    if not token:
        raise ConfigError(f"{source} is empty")
    if not (token.isascii() and token.isprintable()):
        raise ConfigError(f"{source} cannot be sent: it holds a line break or a character outside ASCII")
    return f"Bearer {token}"
