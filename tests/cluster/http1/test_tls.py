from __future__ import annotations

import ssl
from contextlib import suppress

import pytest

from konverge.certificates import Authority
from konverge.cluster.credentials import Credentials
from konverge.cluster.http1.tls import Tls

AUTHORITY = Authority.create()
CONTEXT = Credentials(AUTHORITY).identity("127.0.0.1").tls()


class Client:
    """The other side, without a socket too."""

    def __init__(self) -> None:
        context = ssl.create_default_context(cadata=AUTHORITY.certificate.decode())
        self.incoming, self.outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self.session = context.wrap_bio(self.incoming, self.outgoing, server_hostname="127.0.0.1")

    def meet(self, tls: Tls) -> None:
        """Shake hands."""
        while not tls.is_ready:
            with suppress(ssl.SSLWantReadError):
                self.session.do_handshake()
            tls.receive(self.outgoing.read())
            self.incoming.write(tls.outgoing())

    def said(self, data: bytes) -> bytes:
        """Return the bytes that carry these."""
        for at in range(0, len(data), 1 << 14):
            self.session.write(data[at : at + (1 << 14)])
        return self.outgoing.read()

    def heard(self, data: bytes) -> bytes:
        """Return what the server's bytes carry."""
        self.incoming.write(data)
        found = b""
        while self.incoming.pending:
            found += self.session.read(1 << 20)
        return found


@pytest.fixture
def client() -> Client:
    """A client that has shaken hands with nobody."""
    return Client()


def test_what_is_said_is_heard(client: Client) -> None:
    """Both ways, however much it is and however it is cut."""
    tls = Tls(CONTEXT)
    client.meet(tls)
    data = bytes(range(256)) * 1000
    carried = client.said(data)
    assert b"".join(tls.receive(carried[at : at + 5000]) for at in range(0, len(carried), 5000)) == data
    assert client.heard(tls.send(data)) == data
    assert tls.outgoing() == b""
    assert not tls.is_ended


def test_a_goodbye_is_told_from_silence(client: Client) -> None:
    """What was said before it still counts; ours does not wait for the client's."""
    tls = Tls(CONTEXT)
    client.meet(tls)
    carried = client.said(b"last")
    with pytest.raises(ssl.SSLError):
        client.session.unwrap()
    assert tls.receive(carried + client.outgoing.read()) == b"last"
    assert tls.is_ended
    assert tls.end()


def test_what_is_no_tls_is_an_error_with_an_answer() -> None:
    """TLS has a word for it; and who has not met anyone can still say goodbye."""
    tls = Tls(CONTEXT)
    with pytest.raises(ssl.SSLError):
        tls.receive(b"GET / HTTP/1.1\r\n\r\n")
    assert not tls.is_ready
    tls.end()
