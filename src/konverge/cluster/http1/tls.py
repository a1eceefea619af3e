"""TLS of one connection, without I/O: bytes of the socket in, bytes of the client out, and the other way round.

asyncio's own would keep a quarter of a mebibyte for each connection, idle ones too, and pass every byte through more
hands.
"""

from __future__ import annotations

import hashlib
import ssl
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Final

_RECORD: Final = 1 << 14  # the most that TLS sends as one


class Tls:
    """The server's side; what `outgoing` holds after each call is for the socket."""

    def __init__(self, context: ssl.SSLContext) -> None:
        self.is_ready = False  # the handshake is done
        self.is_ended = False  # the client has said that it sends nothing more
        self._from_socket = ssl.MemoryBIO()
        self._to_socket = ssl.MemoryBIO()
        self._session = context.wrap_bio(self._from_socket, self._to_socket, server_side=True)

    def receive(self, data: bytes | memoryview) -> bytes:
        """Take bytes of the socket; return what the client sent. Raises `ssl.SSLError`."""
        self._from_socket.write(data)
        if not self.is_ready and not self._shake_hands():
            return b""
        found: list[bytes] = []
        try:
            while self._from_socket.pending or self._session.pending():
                piece = self._session.read(_RECORD)
                if not piece:
                    self.is_ended = True
                    break
                found.append(piece)
        except ssl.SSLWantReadError:
            pass  # the rest of a record is still to come
        return found[0] if len(found) == 1 else b"".join(found)

    def send(self, data: bytes) -> bytes:
        """Return the bytes for the socket that carry these."""
        sent = self._session.write(data)
        view = memoryview(data)
        while sent < len(data):
            sent += self._session.write(view[sent:])
        return self._to_socket.read()

    def end(self) -> bytes:
        """Return the bytes that say goodbye; the client's are not waited for."""
        with suppress(ssl.SSLError):  # it has said none yet, or there was no handshake
            self._session.unwrap()
        return self._to_socket.read()

    def outgoing(self) -> bytes:
        """Return what the handshake, or what came, has left for the socket."""
        return self._to_socket.read() if self._to_socket.pending else b""

    def peer(self) -> Mapping[str, Any] | None:
        """Return the client's certificate, which was verified; None where it showed none."""
        return self._session.getpeercert()

    def fingerprint(self) -> str:
        """Return the SHA-256 of the client's certificate in hexadecimal digits; empty where it showed none."""
        certificate = self._session.getpeercert(binary_form=True)
        return hashlib.sha256(certificate).hexdigest() if certificate else ""

    def _shake_hands(self) -> bool:
        try:
            self._session.do_handshake()
        except ssl.SSLWantReadError:
            return False
        self.is_ready = True
        return True
