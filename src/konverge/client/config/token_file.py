"""`TokenFile`: a bearer token that something else keeps fresh in a file, as the kubelet does in every pod."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import ClassVar

from konverge import log
from konverge.client.config.credentials import ClientCertificate, bearer
from konverge.client.config.tls import Signature, signature
from konverge.errors import ConfigError

_MAX_AGE = 10.0  # seconds; also catches a rewrite that left time and size of the file as they were
_LOG = log.get("client")


class TokenFile:
    """Read when the file changed, or after ten seconds; a token once read stays in use while the file is unreadable.

    `fallback` is the token to use as long as the file was never readable.
    """

    kind: ClassVar[str] = "token file"

    def __init__(self, path: Path | str, *, fallback: str = "") -> None:
        self.path = Path(path)
        self._fallback = bearer(fallback, source="the token") if fallback else None
        self._current: str | None = None
        self._signature: Signature | None = None
        self._read_at = 0.0  # loop time; meaningless while _signature is None
        self._warned = False

    def __repr__(self) -> str:
        return f"TokenFile({str(self.path)!r})"

    async def authorization(self) -> str | None:
        """Return the header for the token that is in the file now."""
        found = signature(self.path)
        if self._current is None or found is None or found != self._signature or self._stale():
            self._refresh(found)
        return self._current or self._fallback

    async def client_certificate(self) -> ClientCertificate | None:
        """Leave it to `Tls`."""
        return None

    def invalidate(self, rejected: str | None = None) -> None:
        """Read the file again at the next request."""
        if rejected is None or rejected == self._current:
            self._signature = None

    def _stale(self) -> bool:
        return asyncio.get_running_loop().time() - self._read_at >= _MAX_AGE

    def _refresh(self, found: Signature | None) -> None:
        try:
            self._current = read_token(self.path)
        except ConfigError as error:
            if self._current is None and self._fallback is None:
                raise
            if not self._warned:  # once, not at each request, until the file is back
                _LOG.warning(f"{error}; the last known token stays in use")
            self._warned = True
            return
        self._signature, self._warned = found, False
        self._read_at = asyncio.get_running_loop().time()


def read_token(path: Path) -> str:
    """Return the header for the token in the file, or raise a ConfigError that names the file."""
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as error:
        raise ConfigError(f"token file {path} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError:  # not chained: it carries the bytes of the token
        raise ConfigError(f"token file {path} is not text") from None
    return bearer(text, source=f"token file {path}")
