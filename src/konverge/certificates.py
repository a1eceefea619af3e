"""A small certificate authority: server and client certificates, and keys that sign service account tokens.

Everything is PEM in and PEM out and stays in memory; who writes a key to a file answers for the file's mode. The
certificates carry what strict verification asks for (key usage, subject and authority key identifiers). Keys are
EC P-256: made in a millisecond, and taken by every TLS stack that Kubernetes meets.
"""

from __future__ import annotations

import base64
import hashlib
import ipaddress
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from cryptography import x509
from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.x509.oid import ExtendedKeyUsageOID, NameOID

from konverge import clock
from konverge.errors import ConfigError, RequestError

# Machines disagree about the time; a certificate is valid from a little before it was made.
_SKEW = timedelta(minutes=5)
_NUMBER = 32  # bytes of each number in a signature
# A block of PEM: its type, the headers that few have, and its content.
_BLOCK = re.compile(
    rb"^-----BEGIN ([^\n]*?)-----[ \t\r]*\n((?:[^\n:]+:[^\n]*\n)*)([A-Za-z0-9+/=\s]*)-----END \1-----[ \t\r]*$",
    re.MULTILINE,
)
_PURPOSES = {"server auth": ExtendedKeyUsageOID.SERVER_AUTH, "client auth": ExtendedKeyUsageOID.CLIENT_AUTH}
_NAME_LIMIT = 64  # of a common name or an organization, by RFC 5280


@dataclass(frozen=True, slots=True)
class KeyPair:
    """A certificate and its private key, both PEM; the key is never printed."""

    certificate: bytes
    key: bytes = field(repr=False)


@dataclass(frozen=True, slots=True)
class SigningKey:
    """A key that signs tokens and the public one that proves them, both PEM; the private one is never printed."""

    private: bytes = field(repr=False)
    public: bytes


class TokenSigner:
    """Signs tokens with a stored key and knows its own signatures: ES256, in the form that JSON Web Tokens have."""

    algorithm = "ES256"

    def __init__(self, key: SigningKey) -> None:
        try:
            private = serialization.load_pem_private_key(key.private, password=None)
        except (TypeError, ValueError):
            # Without `from`: the parser's message may quote what it was given.
            raise ConfigError("the key of tokens is not PEM, or it is encrypted") from None
        if not isinstance(private, ec.EllipticCurvePrivateKey) or not isinstance(private.curve, ec.SECP256R1):
            raise ConfigError("the key of tokens is not an EC key of the curve P-256: give the one that was stored")
        self._private = private
        self._public = private.public_key()
        self.key_id = _key_id(self._public)

    def __repr__(self) -> str:
        return f"TokenSigner({self.key_id!r})"

    def jwk(self) -> dict[str, str]:
        """Return the public key, as a JSON Web Key."""
        point = self._public.public_numbers()
        place = {"x": _web_text(point.x.to_bytes(_NUMBER)), "y": _web_text(point.y.to_bytes(_NUMBER))}
        return {"use": "sig", "kty": "EC", "kid": self.key_id, "crv": "P-256", "alg": self.algorithm, **place}

    def token(self, claims: bytes) -> str:
        """Return a signed JSON Web Token of some claims, which are JSON."""
        header = json.dumps({"alg": self.algorithm, "kid": self.key_id}, separators=(",", ":"))
        text = f"{_web_text(header.encode())}.{_web_text(claims)}"
        return f"{text}.{_web_text(self.sign(text.encode()))}"

    def sign(self, data: bytes) -> bytes:
        """Return the signature of some bytes: two numbers of 32 bytes."""
        first, second = decode_dss_signature(self._private.sign(data, ec.ECDSA(hashes.SHA256())))
        return first.to_bytes(_NUMBER) + second.to_bytes(_NUMBER)

    def verify(self, data: bytes, signature: bytes) -> bool:
        """Whether a signature was made with this key."""
        if len(signature) != 2 * _NUMBER:
            return False
        numbers = int.from_bytes(signature[:_NUMBER]), int.from_bytes(signature[_NUMBER:])
        try:
            self._public.verify(encode_dss_signature(*numbers), data, ec.ECDSA(hashes.SHA256()))
        except InvalidSignature:
            return False
        return True


def _key_id(public: ec.EllipticCurvePublicKey) -> str:
    """Return the name of a key, as Kubernetes derives it: it tells nothing of the key."""
    form = public.public_bytes(serialization.Encoding.DER, serialization.PublicFormat.SubjectPublicKeyInfo)
    return _web_text(hashlib.sha256(form).digest())


def _web_text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


class Authority:
    """A certificate authority; take a new one from `create`, or go on with a stored one through its `KeyPair`."""

    def __init__(self, pair: KeyPair) -> None:
        try:
            self._certificate = x509.load_pem_x509_certificate(pair.certificate)
            key = serialization.load_pem_private_key(pair.key, password=None)
        except (TypeError, ValueError):
            # Without `from`: the parser's message may quote what it was given.
            raise ConfigError("the authority's certificate or key is not PEM, or the key is encrypted") from None
        if not isinstance(key, ec.EllipticCurvePrivateKey) or key.public_key() != self._certificate.public_key():
            raise ConfigError("the authority's key is not the EC key of its certificate: give the pair that was stored")
        self._key = key
        self.pair = pair

    @classmethod
    def create(cls, name: str = "konverge", *, lifetime: timedelta = timedelta(days=3650)) -> Authority:
        """Make a new authority that signs itself and may sign no further authorities."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = _subject(name)
        certificate = (
            _builder(subject, public=key.public_key(), lifetime=lifetime)
            .issuer_name(subject)
            .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
            .add_extension(_usage(authority=True), critical=True)
            .sign(key, hashes.SHA256())
        )
        return cls(_pair(certificate, key))

    def __repr__(self) -> str:
        return f"Authority({self._certificate.subject.rfc4514_string()!r})"

    @property
    def certificate(self) -> bytes:
        """The PEM certificate that clients and servers trust."""
        return self.pair.certificate

    def server(self, *names: str, also_client: bool = False, lifetime: timedelta = timedelta(days=365)) -> KeyPair:
        """Issue a certificate for a server that is reached by these DNS names and IP addresses.

        A server that calls its like with the same certificate, as etcd does, is `also_client`.
        """
        if not names:
            raise RequestError("a server certificate needs at least one DNS name or IP address")
        usage = [ExtendedKeyUsageOID.SERVER_AUTH, *([ExtendedKeyUsageOID.CLIENT_AUTH] if also_client else [])]
        alternatives = x509.SubjectAlternativeName([_alternative(name) for name in names])
        # Clients look at the alternative names alone; the subject is for people, so it may be cut.
        subject = _subject(names[0][:_NAME_LIMIT])
        return self._issue(subject, usage=usage, alternatives=alternatives, lifetime=lifetime)

    def client(self, user: str, *, groups: Iterable[str] = (), lifetime: timedelta = timedelta(days=365)) -> KeyPair:
        """Issue a certificate that makes its holder this user, in these groups."""
        return self._issue(_subject(user, groups), usage=[ExtendedKeyUsageOID.CLIENT_AUTH], lifetime=lifetime)

    def sign(self, request: bytes, *, usages: Iterable[str], lifetime: timedelta) -> bytes:
        """Sign a request for a client's or server's certificate, for usages in Kubernetes' words.

        The certificate has the subject and the names of the request, and nothing else of it; it never outlives this
        authority. Raises `RequestError` for a request that cannot be read.
        """
        if fault := request_fault(request):
            raise RequestError(f"the request for a certificate is no good: {fault}")
        asked, wanted = x509.load_pem_x509_csr(request), frozenset(usages)
        now = clock.now()
        builder = (
            x509.CertificateBuilder()
            .subject_name(asked.subject)
            .issuer_name(self._certificate.subject)
            .public_key(asked.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - _SKEW)
            .not_valid_after(min(now + lifetime, self._certificate.not_valid_after_utc))
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage_for(wanted), critical=True)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if purposes := [purpose for name, purpose in _PURPOSES.items() if name in wanted]:
            builder = builder.add_extension(x509.ExtendedKeyUsage(purposes), critical=False)
        for extension in asked.extensions:
            if isinstance(extension.value, x509.SubjectAlternativeName):
                builder = builder.add_extension(extension.value, critical=False)
        return builder.sign(self._key, hashes.SHA256()).public_bytes(serialization.Encoding.PEM)

    def _issue(
        self,
        subject: x509.Name,
        *,
        usage: list[x509.ObjectIdentifier],
        lifetime: timedelta,
        alternatives: x509.SubjectAlternativeName | None = None,
    ) -> KeyPair:
        key = ec.generate_private_key(ec.SECP256R1())
        builder = (
            _builder(subject, public=key.public_key(), lifetime=lifetime)
            .issuer_name(self._certificate.subject)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .add_extension(_usage(authority=False), critical=True)
            .add_extension(x509.ExtendedKeyUsage(usage), critical=False)
            .add_extension(x509.AuthorityKeyIdentifier.from_issuer_public_key(self._key.public_key()), critical=False)
        )
        if alternatives:
            builder = builder.add_extension(alternatives, critical=False)
        return _pair(builder.sign(self._key, hashes.SHA256()), key)


def request_fault(pem: bytes) -> str:
    """Say what is wrong with a request for a certificate; empty: nothing, and its signature is good."""
    if b"-----BEGIN CERTIFICATE REQUEST-----" not in pem:
        return "PEM block type must be CERTIFICATE REQUEST"
    try:
        is_good = x509.load_pem_x509_csr(pem).is_signature_valid
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return "the request cannot be read"
    return "" if is_good else "the signature of the request is not valid"


def requested_organizations(pem: bytes) -> list[str]:
    """Return the organizations that a request for a certificate names: the groups of its holder, if it is granted."""
    try:
        subject = x509.load_pem_x509_csr(pem).subject
    except (ValueError, TypeError, UnsupportedAlgorithm):
        return []
    return [str(each.value) for each in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)]


def certificates_fault(pem: bytes) -> str:
    """Say what is wrong with certificates that someone hands out, one or a chain; empty: nothing."""
    blocks = _BLOCK.findall(pem)
    for kind, headers, body in blocks:
        if kind != b"CERTIFICATE":
            return f'only CERTIFICATE PEM blocks are allowed, found "{kind.decode(errors="replace")}"'
        if headers:
            return "no PEM block headers are permitted"
        try:
            x509.load_der_x509_certificate(base64.b64decode(body))
        except (ValueError, TypeError, UnsupportedAlgorithm):
            return "x509: malformed certificate"
    return "" if blocks else "must contain at least one CERTIFICATE PEM block"


def signing_key() -> SigningKey:
    """Make a key for service account tokens (ES256)."""
    key = ec.generate_private_key(ec.SECP256R1())
    public = key.public_key().public_bytes(serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)
    return SigningKey(private=_private_pem(key), public=public)


def _builder(subject: x509.Name, *, public: ec.EllipticCurvePublicKey, lifetime: timedelta) -> x509.CertificateBuilder:
    now = clock.now()
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .public_key(public)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - _SKEW)
        .not_valid_after(now + lifetime)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(public), critical=False)
    )


def _subject(name: str, groups: Iterable[str] = ()) -> x509.Name:
    groups = list(groups)
    for part in (name, *groups):
        if not 0 < len(part.encode()) <= _NAME_LIMIT:
            raise RequestError(f"a certificate cannot carry the name {part!r}: it takes 1 to {_NAME_LIMIT} characters")
    organizations = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group) for group in groups]
    return x509.Name([*organizations, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(name: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(name))
    except ValueError:
        pass  # not an address, so a DNS name
    try:
        return x509.DNSName(name)
    except ValueError as error:
        raise RequestError(f"{name!r} is neither an IP address nor an ASCII DNS name") from error


def _usage_for(usages: frozenset[str]) -> x509.KeyUsage:
    """The usages that a request may name, without those of an authority."""
    return x509.KeyUsage(
        digital_signature=bool(usages & {"digital signature", "signing"}),
        content_commitment="content commitment" in usages,
        key_encipherment="key encipherment" in usages,
        data_encipherment="data encipherment" in usages,
        key_agreement=False,
        key_cert_sign=False,
        crl_sign=False,
        encipher_only=False,
        decipher_only=False,
    )


def _usage(*, authority: bool) -> x509.KeyUsage:
    """An authority signs certificates and nothing else; everyone else signs handshakes and nothing else."""
    return x509.KeyUsage(
        digital_signature=not authority,
        key_cert_sign=authority,
        crl_sign=authority,
        content_commitment=False,
        key_encipherment=False,
        data_encipherment=False,
        key_agreement=False,
        encipher_only=False,
        decipher_only=False,
    )


def _pair(certificate: x509.Certificate, key: ec.EllipticCurvePrivateKey) -> KeyPair:
    return KeyPair(certificate.public_bytes(serialization.Encoding.PEM), _private_pem(key))


def _private_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
