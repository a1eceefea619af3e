from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from cryptography import x509

from konverge import clock
from konverge.certificates import Authority, KeyPair
from konverge.errors import ConfigError
from konverge.webhook.certificate import SETTLING, Certificates, read_files, renewed, server_context

NAMES = ("webhooks.shop.svc", "127.0.0.1")
DAY = timedelta(days=1)


def end_of(pair: KeyPair) -> datetime:
    """When a certificate ends."""
    return x509.load_pem_x509_certificate(pair.certificate).not_valid_after_utc


def made() -> Certificates:
    """Certificates of this moment: the authority lives 30 days, what it signs 3."""
    return renewed(None, NAMES, now=clock.now(), lifetime=3 * DAY, authority_lifetime=30 * DAY)


def test_the_first_certificates_are_made_at_once() -> None:
    """One authority, and a certificate of it that a server can use; the keys are not shown."""
    found = made()
    assert len(found.authorities) == 1
    server_context(found.serving)
    assert "PRIVATE" not in repr(found)
    assert renewed(found, NAMES, now=clock.now()) is found


def test_the_certificate_is_renewed_before_it_ends() -> None:
    """After two thirds of its life, by the same authority."""
    found = made()
    assert renewed(found, NAMES, now=clock.now() + 1.9 * DAY) is found
    later = renewed(found, NAMES, now=clock.now() + 2.1 * DAY)
    assert later.authorities == found.authorities
    assert later.serving != found.serving


def test_other_names_need_another_certificate() -> None:
    """A Service that was renamed is served at once."""
    found = made()
    later = renewed(found, ("other.shop.svc",), now=clock.now())
    assert later.authorities == found.authorities
    assert later.serving != found.serving


@pytest.mark.virtual_time
async def test_a_new_authority_is_trusted_before_it_signs() -> None:
    """It joins the bundle; until everyone has read that, the old one signs; in the end the old one leaves."""
    found = made()
    await asyncio.sleep((20.1 * DAY).total_seconds())
    both = renewed(found, NAMES, now=clock.now(), lifetime=3 * DAY, authority_lifetime=30 * DAY)
    assert both.authorities[0] == found.authorities[0]
    assert both.ca_bundle.count(b"BEGIN CERTIFICATE") == len(both.authorities) == 2
    assert issuer_key(both.serving) == subject_key(both.authorities[0])
    await asyncio.sleep(SETTLING.total_seconds())
    assert renewed(both, NAMES, now=clock.now()) is both  # what is served is good for two days yet
    await asyncio.sleep((2.1 * DAY).total_seconds())
    again = renewed(both, NAMES, now=clock.now(), lifetime=30 * DAY)
    assert issuer_key(again.serving) == subject_key(again.authorities[1])
    last = renewed(again, NAMES, now=end_of(found.authorities[0]))
    assert last.authorities == both.authorities[1:]
    assert last.serving == again.serving


def subject_key(pair: KeyPair) -> bytes:
    """The name of an authority's key."""
    found = x509.load_pem_x509_certificate(pair.certificate).extensions
    return found.get_extension_for_class(x509.SubjectKeyIdentifier).value.digest


def issuer_key(pair: KeyPair) -> bytes | None:
    """The name of the key that signed."""
    found = x509.load_pem_x509_certificate(pair.certificate).extensions
    return found.get_extension_for_class(x509.AuthorityKeyIdentifier).value.key_identifier


def test_a_certificate_of_a_stranger_is_replaced() -> None:
    """One that no authority in the bundle signed would be trusted by nobody."""
    found = made()
    strange = Certificates(authorities=found.authorities, serving=Authority.create("other").server(*NAMES))
    assert renewed(strange, NAMES, now=datetime.now(UTC)).serving != strange.serving


def test_files_that_are_missing_or_do_not_fit_are_named(tmp_path: Path) -> None:
    """The error says what to mount; a key of another certificate is refused."""
    with pytest.raises(ConfigError, match=r"tls\.crt cannot be read"):
        read_files(tmp_path)
    one, other = made().serving, made().serving
    (tmp_path / "tls.crt").write_bytes(one.certificate)
    (tmp_path / "tls.key").write_bytes(other.key)
    with pytest.raises(ConfigError, match="do not belong together"):
        server_context(read_files(tmp_path)[0])
