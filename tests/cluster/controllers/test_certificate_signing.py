"""Certificates for clients of the API server, signed once their requests are approved."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from konverge import Client, ObjectMeta
from konverge.certificates import Authority
from konverge.cluster.controllers import certificate_signing
from konverge.cluster.controllers.certificate_signing import SIGNER, lifetime, usage_fault
from konverge.models import certificates_v1
from konverge.testing import VirtualCluster, running

USAGES = ["digital signature", "key encipherment", "client auth"]


@pytest.fixture(scope="module")
def authority() -> Authority:
    """An authority for all tests."""
    return Authority.create("test")


@asynccontextmanager
async def cluster_of(authority: Authority) -> AsyncIterator[Client]:
    """A cluster with the signer alone."""
    cluster = VirtualCluster()
    manager = cluster.manager()
    certificate_signing.add_to(manager, certificate=authority.pair.certificate, key=authority.pair.key)
    async with running(manager):
        yield cluster.client()


def asked_by(user: str) -> bytes:
    """A request for a certificate."""
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, user)])
    made = x509.CertificateSigningRequestBuilder().subject_name(name)
    return made.sign(ec.generate_private_key(ec.SECP256R1()), hashes.SHA256()).public_bytes(serialization.Encoding.PEM)


async def request(
    client: Client, *, usages: list[str] = USAGES, is_approved: bool = True, signer: str = SIGNER
) -> None:
    """Ask for a certificate, and have it approved."""
    spec = certificates_v1.CertificateSigningRequestSpec(
        request=asked_by("ann"), signer_name=signer, usages=usages, expiration_seconds=3600
    )
    metadata = ObjectMeta(name="ann")
    made = await client.create(certificates_v1.CertificateSigningRequest(metadata=metadata, spec=spec))
    if is_approved:
        approved = certificates_v1.CertificateSigningRequestCondition(type="Approved", status="True", reason="Test")
        made.status.conditions = [approved]
        await client.subresource("approval").update(made)
    await asyncio.sleep(1)


async def answer(client: Client) -> certificates_v1.CertificateSigningRequestStatus:
    """What became of the request."""
    return (await client.get(certificates_v1.CertificateSigningRequest, "ann")).status


@pytest.mark.virtual_time
async def test_an_approved_request_is_signed(authority: Authority) -> None:
    """The certificate is by the authority, of the one who asked, and lasts as long as was asked for."""
    async with cluster_of(authority) as client:
        await request(client)
        made = x509.load_pem_x509_certificate((await answer(client)).certificate or b"")
    made.verify_directly_issued_by(x509.load_pem_x509_certificate(authority.certificate))
    assert made.subject.rfc4514_string() == "CN=ann"
    assert made.not_valid_after_utc - made.not_valid_before_utc == timedelta(hours=1, minutes=5)
    assert [each.dotted_string for each in made.extensions.get_extension_for_class(x509.ExtendedKeyUsage).value] == [
        "1.3.6.1.5.5.7.3.2"
    ]


@pytest.mark.virtual_time
async def test_what_is_not_approved_is_not_signed(authority: Authority) -> None:
    """Nor what is for another signer."""
    async with cluster_of(authority) as client:
        await request(client, is_approved=False)
        assert (await answer(client)).certificate is None
        await client.delete(certificates_v1.CertificateSigningRequest, "ann")
        await request(client, signer="example.com/own")
        assert (await answer(client)).certificate is None


@pytest.mark.virtual_time
async def test_a_server_gets_no_certificate_here(authority: Authority) -> None:
    """The status says why."""
    async with cluster_of(authority) as client:
        await request(client, usages=["server auth"])
        said = {each.type: each for each in (await answer(client)).conditions or ()}
        assert said["Failed"].reason == "SignerValidationFailure"
        assert said["Failed"].message == "invalid usage for client certificate: server auth"


def test_bounds() -> None:
    """A certificate lasts at least ten minutes and at most a year; it is a client's."""
    asked = [lifetime(seconds) for seconds in (None, 1, 3600, 10**9)]
    year = timedelta(days=365)
    assert asked == [year, timedelta(minutes=10), timedelta(hours=1), year]
    assert usage_fault(["digital signature"]) == "missing required usage for client certificate: client auth"
