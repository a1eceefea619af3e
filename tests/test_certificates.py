"""The test authority must satisfy the strictest TLS stack that will meet it."""

import asyncio
import ssl
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import serialization
from cryptography.x509.oid import NameOID

from konverge.certificates import Authority, KeyPair, SigningKey, TokenSigner, signing_key
from konverge.errors import ConfigError, RequestError


@pytest.fixture(scope="module")
def authority() -> Authority:
    """One authority for all tests here."""
    return Authority.create()


def context(purpose: int, *, authority: Authority, pair: KeyPair, folder: Path) -> ssl.SSLContext:
    """A strict TLS side that trusts the authority and shows the pair."""
    made = ssl.SSLContext(purpose)
    made.verify_mode = ssl.CERT_REQUIRED
    made.verify_flags |= ssl.VERIFY_X509_STRICT | ssl.VERIFY_X509_PARTIAL_CHAIN
    made.load_verify_locations(cadata=authority.certificate.decode())
    file = folder / f"{purpose}.pem"
    file.write_bytes(pair.certificate + pair.key)
    made.load_cert_chain(file)
    return made


def handshake(server: ssl.SSLContext, client: ssl.SSLContext, host: str) -> ssl.SSLObject:
    """Shake hands in memory and return the server's side."""
    to_server, to_client = ssl.MemoryBIO(), ssl.MemoryBIO()
    sides = [
        client.wrap_bio(to_client, to_server, server_hostname=host),
        server.wrap_bio(to_server, to_client, server_side=True),
    ]
    waiting = list(sides)
    for _ in range(10):
        for side in list(waiting):
            try:
                side.do_handshake()
                waiting.remove(side)
            except ssl.SSLWantReadError:
                continue
    assert not waiting
    return sides[1]


@pytest.mark.parametrize("host", ["kubernetes.default.svc", "127.0.0.1", "::1"])
def test_strict_mutual_tls(authority: Authority, tmp_path: Path, host: str) -> None:
    """A server reached by a DNS name or an address and a client verify each other under strict rules."""
    server = context(
        ssl.PROTOCOL_TLS_SERVER,
        authority=authority,
        pair=authority.server("kubernetes.default.svc", "127.0.0.1", "::1"),
        folder=tmp_path,
    )
    client = context(
        ssl.PROTOCOL_TLS_CLIENT,
        authority=authority,
        pair=authority.client("jane", groups=["dev", "ops"]),
        folder=tmp_path,
    )
    shown = handshake(server, client, host).getpeercert()
    assert shown is not None
    subject = [pair for part in shown["subject"] for pair in part]
    assert subject == [("organizationName", "dev"), ("organizationName", "ops"), ("commonName", "jane")]


@pytest.mark.parametrize("wrong", ["host", "authority", "purpose"])
def test_what_must_not_verify(authority: Authority, tmp_path: Path, wrong: str) -> None:
    """Another host, another authority and a client certificate on a server are all refused."""
    names = ["elsewhere"] if wrong == "host" else ["localhost"]
    issuer = Authority.create() if wrong == "authority" else authority
    pair = authority.client("localhost") if wrong == "purpose" else issuer.server(*names)
    server = context(ssl.PROTOCOL_TLS_SERVER, authority=authority, pair=pair, folder=tmp_path)
    client = context(ssl.PROTOCOL_TLS_CLIENT, authority=authority, pair=authority.client("jane"), folder=tmp_path)
    with pytest.raises(ssl.SSLCertVerificationError):
        handshake(server, client, "localhost")


def test_a_peer_certificate_serves_and_calls(authority: Authority) -> None:
    """`also_client` allows one certificate on both ends of a connection."""
    certificate = x509.load_pem_x509_certificate(authority.server("localhost", also_client=True).certificate)
    usage = certificate.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value
    assert {oid.dotted_string for oid in usage} == {"1.3.6.1.5.5.7.3.1", "1.3.6.1.5.5.7.3.2"}


def test_a_stored_authority_goes_on(authority: Authority) -> None:
    """An authority made again from its PEM issues certificates of the same issuer."""
    again = Authority(authority.pair)
    issued = x509.load_pem_x509_certificate(again.client("jane").certificate)
    issued.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.certificate))


def test_private_keys_are_never_printed(authority: Authority) -> None:
    """No repr holds a private key."""
    for value in (authority, authority.pair, authority.client("jane"), signing_key()):
        assert "PRIVATE" not in repr(value)
    assert repr(authority) == "Authority('CN=konverge')"


def test_a_signing_key_has_its_public_half() -> None:
    """The public PEM belongs to the private one."""
    key = signing_key()
    private = serialization.load_pem_private_key(key.private, password=None)
    assert private.public_key() == serialization.load_pem_public_key(key.public)


def test_unusable_input_is_refused_with_the_reason(authority: Authority) -> None:
    """Names that do not fit, no names, foreign keys and garbage each give one clear error."""
    with pytest.raises(RequestError, match="1 to 64 characters"):
        authority.client("u" * 65)
    with pytest.raises(RequestError, match="1 to 64 characters"):
        authority.client("jane", groups=[""])
    with pytest.raises(RequestError, match="at least one DNS name"):
        authority.server()
    with pytest.raises(RequestError, match="neither an IP address nor an ASCII DNS name"):
        authority.server("bücher")
    with pytest.raises(ConfigError, match="not the EC key of its certificate"):
        Authority(KeyPair(authority.certificate, Authority.create().pair.key))
    with pytest.raises(ConfigError, match="not PEM"):
        Authority(KeyPair(b"nonsense", b"nonsense"))


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop that keeps its own wall time."""

    def wall_time(self) -> datetime:
        """Return a day long past."""
        return datetime(2001, 2, 3, tzinfo=UTC)


def test_validity_follows_the_clock() -> None:
    """Certificates are valid from a little before the loop's wall time, for their lifetime."""

    async def issue() -> bytes:
        return Authority.create(lifetime=timedelta(days=1)).certificate

    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        certificate = x509.load_pem_x509_certificate(runner.run(issue()))
    assert certificate.not_valid_before_utc == datetime(2001, 2, 2, 23, 55, tzinfo=UTC)
    assert certificate.not_valid_after_utc == datetime(2001, 2, 4, tzinfo=UTC)
    assert certificate.subject.get_attributes_for_oid(NameOID.COMMON_NAME)[0].value == "konverge"


def test_a_signer_knows_its_own_signatures() -> None:
    """And no others; what it signs can be checked with the public key alone."""
    key = signing_key()
    signer, other = TokenSigner(key), TokenSigner(signing_key())
    signature = signer.sign(b"abc")
    assert len(signature) == 64
    assert TokenSigner(key).verify(b"abc", signature)
    assert not signer.verify(b"abd", signature)
    assert not signer.verify(b"abc", signature[:-1])
    assert not signer.verify(b"abc", bytes(64))
    assert not other.verify(b"abc", signature)
    assert signer.key_id == TokenSigner(key).key_id != other.key_id


@pytest.mark.parametrize("private", [b"", b"secret", Authority.create().certificate])
def test_a_signer_needs_a_key(private: bytes) -> None:
    """The refusal does not show what was given."""
    with pytest.raises(ConfigError) as caught:
        TokenSigner(SigningKey(private=private, public=b""))
    assert "secret" not in str(caught.value)


def test_a_signer_shows_no_key() -> None:
    """In its repr there is the name of the key alone."""
    signer = TokenSigner(signing_key())
    assert repr(signer) == f"TokenSigner({signer.key_id!r})"
