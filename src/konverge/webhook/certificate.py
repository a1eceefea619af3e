"""The serving certificate: made and renewed by konverge, or read from files that someone else renews.

`renewed` decides (pure: what there is and the time in, what there should be out). An authority past two thirds of its
life gets a successor; both stand in the CA bundle, and the successor signs only once everyone has had the time to read
the new bundle. So no request meets a certificate that it does not trust yet, whichever replica answers.
"""

from __future__ import annotations

import ssl
from datetime import datetime, timedelta
from pathlib import Path
from typing import Final

import msgspec
from cryptography import x509

from konverge.certificates import Authority, KeyPair
from konverge.client.config.tls import private_file
from konverge.errors import ConfigError

AUTHORITY_LIFETIME: Final = timedelta(days=3650)
LIFETIME: Final = timedelta(days=365)
SETTLING: Final = timedelta(minutes=15)  # a new authority signs only after it stood in the bundle for so long
_NAME: Final = "konverge webhooks"


class Certificates(msgspec.Struct, frozen=True, kw_only=True):
    """Authorities, the oldest first, and the pair that one of them signed; the keys are never printed."""

    authorities: tuple[KeyPair, ...]
    serving: KeyPair

    @property
    def ca_bundle(self) -> bytes:
        """What the API server is to trust."""
        return b"".join(authority.certificate for authority in self.authorities)


def renewed(
    found: Certificates | None,
    names: tuple[str, ...],
    *,
    now: datetime,
    lifetime: timedelta = LIFETIME,
    authority_lifetime: timedelta = AUTHORITY_LIFETIME,
) -> Certificates:
    """Return the certificates to have now: the same, where nothing is due."""
    valid = tuple(pair for pair in (found.authorities if found else ()) if not _is_expired(pair, now))
    if not valid or _is_due(valid[-1], now):
        valid = (*valid, Authority.create(_NAME, lifetime=authority_lifetime).pair)
    if found is not None and _serves(found.serving, names, valid, now):
        return found if valid == found.authorities else Certificates(authorities=valid, serving=found.serving)
    signer = Authority(_signer(valid, now))
    return Certificates(authorities=valid, serving=signer.server(*names, lifetime=lifetime))


def _signer(authorities: tuple[KeyPair, ...], now: datetime) -> KeyPair:
    """Return the newest authority that everyone trusts by now; the oldest, if none is old enough."""
    settled = [pair for pair in authorities if _parsed(pair).not_valid_before_utc + SETTLING <= now]
    return settled[-1] if settled else authorities[0]


def _serves(pair: KeyPair, names: tuple[str, ...], authorities: tuple[KeyPair, ...], now: datetime) -> bool:
    certificate = _parsed(pair)
    has_names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    given = {str(each.value) for each in has_names}
    return not _is_due(pair, now) and given == set(names) and any(_signed(certificate, by) for by in authorities)


def _signed(certificate: x509.Certificate, by: KeyPair) -> bool:
    key = _parsed(by).extensions.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest
    own = certificate.extensions.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier
    return key == own


def _is_due(pair: KeyPair, now: datetime) -> bool:
    """Whether two thirds of its life are over."""
    certificate = _parsed(pair)
    life = certificate.not_valid_after_utc - certificate.not_valid_before_utc
    return now >= certificate.not_valid_before_utc + life * 2 / 3


def _is_expired(pair: KeyPair, now: datetime) -> bool:
    return now >= _parsed(pair).not_valid_after_utc


def _parsed(pair: KeyPair) -> x509.Certificate:
    return x509.load_pem_x509_certificate(pair.certificate)


def server_context(pair: KeyPair) -> ssl.SSLContext:
    """Return a TLS context that serves this certificate."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.set_alpn_protocols(["http/1.1"])
    with private_file(pair.certificate + b"\n" + pair.key) as path:
        try:
            context.load_cert_chain(path, password=_refuse)
        except ssl.SSLError as error:
            raise ConfigError("the webhooks' certificate and key are not PEM, or do not belong together") from error
    return context


def _refuse() -> bytes:  # without this OpenSSL would ask on the terminal and block
    raise ConfigError("the webhooks' key is encrypted: give it decrypted")


def read_files(folder: Path) -> tuple[KeyPair, bytes]:
    """Read `tls.crt` and `tls.key`, as a Secret of type kubernetes.io/tls is mounted, and `ca.crt`, if it is there."""
    authority = folder / "ca.crt"
    try:
        pair = KeyPair((folder / "tls.crt").read_bytes(), (folder / "tls.key").read_bytes())
        return pair, authority.read_bytes() if authority.exists() else b""
    except OSError as error:
        raise ConfigError(
            f"the webhooks' certificate: {error.filename} cannot be read: {error.strerror}; mount a Secret with "
            "tls.crt and tls.key there, or name no folder, and konverge makes a certificate itself"
        ) from error
