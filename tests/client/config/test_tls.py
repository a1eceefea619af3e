from __future__ import annotations

import asyncio
import base64
import ssl
import tempfile
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives import serialization

from konverge.client.config import ClientCertificate, Tls, load
from konverge.errors import ConfigError


@asynccontextmanager
async def tls_server(authority: Any, *sans: str) -> AsyncIterator[int]:
    """Answer each connection with the names it came with: the one asked for by SNI and the client's own."""
    pair = authority.issue("server", *sans)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    with tempfile.NamedTemporaryFile() as file:
        file.write(pair.certificate + pair.key)
        file.flush()
        context.load_cert_chain(file.name)
    context.load_verify_locations(cadata=authority.pem.decode())
    context.verify_mode = ssl.CERT_OPTIONAL
    asked: list[str | None] = []
    context.sni_callback = lambda _socket, name, _context: asked.append(name)

    async def answer(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        peer = writer.get_extra_info("peercert")
        subject = dict(part[0] for part in peer["subject"])["commonName"] if peer else "-"
        writer.write(f"{asked[-1]} {subject}".encode())
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(answer, "127.0.0.1", 0, ssl=context)
    async with server:
        yield server.sockets[0].getsockname()[1]


def keys_on_disk() -> set[Path]:
    """The temporary files that hold a key."""
    return set(Path(tempfile.gettempdir()).glob("konverge-*.pem"))


async def greet(port: int, tls: Tls, certificate: ClientCertificate | None = None) -> str:
    """Connect as the transport does and return what the server saw."""
    reader, writer = await asyncio.open_connection(
        "127.0.0.1",
        port,
        ssl=tls.ssl_context(client_certificate=certificate),
        server_hostname=tls.tls_server_name or "127.0.0.1",
    )
    try:
        return (await reader.read()).decode()
    finally:
        writer.close()
        await writer.wait_closed()


async def test_the_server_name_is_asked_for_and_verified(authority: Any) -> None:
    """tls-server-name replaces the host of the URL in SNI and in the check of the certificate."""
    async with tls_server(authority, "api.internal") as port:
        assert await greet(port, Tls(ca_data=authority.pem, tls_server_name="api.internal")) == "api.internal -"
        with pytest.raises(ssl.SSLCertVerificationError):
            await greet(port, Tls(ca_data=authority.pem, tls_server_name="other.internal"))
        with pytest.raises(ssl.SSLCertVerificationError):
            await greet(port, Tls(ca_data=authority.pem))
        with pytest.raises(ssl.SSLCertVerificationError):
            await greet(port, Tls(tls_server_name="api.internal"))


async def test_an_address_is_verified_and_verification_can_be_skipped(authority: Any) -> None:
    """A certificate for the address is enough; the insecure flag takes any."""
    async with tls_server(authority, "127.0.0.1") as port:
        assert await greet(port, Tls(ca_data=authority.pem)) == "None -"
        assert await greet(port, Tls(insecure_skip_tls_verify=True)) == "None -"


@pytest.mark.parametrize("form", ["data", "files", "mixed"])
async def test_a_client_certificate_in_each_form(tmp_path: Path, authority: Any, form: str) -> None:
    """Data, files and one of each present the same certificate, and no key is left behind."""
    pair = authority.issue("jane")
    (tmp_path / "crt").write_bytes(pair.certificate)
    (tmp_path / "key").write_bytes(pair.key)
    fields: dict[str, dict[str, Any]] = {
        "data": {"certificate_data": pair.certificate, "key_data": pair.key},
        "files": {"certificate_file": tmp_path / "crt", "key_file": tmp_path / "key"},
        "mixed": {"certificate_data": pair.certificate, "key_file": tmp_path / "key"},
    }
    before = keys_on_disk()
    async with tls_server(authority, "127.0.0.1") as port:
        assert await greet(port, Tls(ca_data=authority.pem, **fields[form])) == "None jane"
    assert keys_on_disk() <= before


async def test_the_certificate_of_an_exec_plugin_wins(authority: Any) -> None:
    """What the plugin gives is presented in place of what the settings hold."""
    own, given = authority.issue("own"), authority.issue("given")
    tls = Tls(ca_data=authority.pem, certificate_data=own.certificate, key_data=own.key)
    async with tls_server(authority, "127.0.0.1") as port:
        assert await greet(port, tls, ClientCertificate(given.certificate, given.key)) == "None given"


async def test_a_kubeconfig_with_certificates(kubeconfig: Callable[..., Path], authority: Any) -> None:
    """The data of a kubeconfig, wrapped over lines or not, leads to a connection as that user."""
    pair = authority.issue("jane")
    cluster = {
        "server": "https://127.0.0.1",
        "tls-server-name": "api.internal",
        "certificate-authority-data": base64.encodebytes(authority.pem).decode(),
    }
    user = {
        "client-certificate-data": base64.b64encode(pair.certificate).decode(),
        "client-key-data": base64.b64encode(pair.key).decode(),
    }
    config = load(kubeconfig(cluster=cluster, user=user), env={})
    assert config.auth == "client certificate"
    async with tls_server(authority, "api.internal") as port:
        assert await greet(port, config.tls) == "api.internal jane"


def test_the_fingerprint_changes_with_the_files(tmp_path: Path, authority: Any) -> None:
    """A replaced or removed file is noticed; data has nothing to notice."""
    pair = authority.issue("jane")
    for name, content in {"ca": authority.pem, "crt": pair.certificate, "key": pair.key}.items():
        (tmp_path / name).write_bytes(content)
    tls = Tls(ca_file=tmp_path / "ca", certificate_file=tmp_path / "crt", key_file=tmp_path / "key")
    first = tls.fingerprint()
    assert tls.fingerprint() == first
    (tmp_path / "new").write_bytes(pair.certificate)
    (tmp_path / "new").replace(tmp_path / "crt")
    second = tls.fingerprint()
    (tmp_path / "ca").unlink()
    assert len({first, second, tls.fingerprint()}) == 3
    assert Tls(ca_data=b"x", ca_file=tmp_path / "ca").fingerprint() == ()


def test_contradictions_are_refused() -> None:
    """A CA with the insecure flag, a certificate without a key."""
    with pytest.raises(ConfigError, match="contradict"):
        Tls(ca_data=b"x", insecure_skip_tls_verify=True)
    with pytest.raises(ConfigError, match="needs its key"):
        Tls(certificate_data=b"x")
    with pytest.raises(ConfigError, match="needs its key"):
        Tls(key_data=b"x")


def test_unusable_pem_is_named_without_its_content(tmp_path: Path, authority: Any) -> None:
    """The error says which part is wrong."""
    pair, other = authority.issue("jane"), authority.issue("joe")
    key = serialization.load_pem_private_key(pair.key, None)
    locked = key.private_bytes(
        serialization.Encoding.PEM,
        serialization.PrivateFormat.PKCS8,
        serialization.BestAvailableEncryption(b"x"),
    )
    bad = tmp_path / "bad"
    bad.write_text("s3cr3t")
    cases = [
        (Tls(ca_data=b"s3cr3t"), "the certificate authority holds no PEM certificate"),
        (Tls(ca_file=bad), f"the certificate authority {bad} holds no PEM certificate"),
        (Tls(ca_file=tmp_path / "no"), "cannot be read: No such file"),
        (Tls(certificate_data=b"s3cr3t", key_data=b"s3cr3t"), "the client certificate or its key is not PEM"),
        (Tls(certificate_data=pair.certificate, key_data=other.key), "does not belong to its key"),
        (Tls(certificate_data=pair.certificate, key_data=locked), "has an encrypted key"),
        (Tls(certificate_file=bad, key_file=bad), f"client certificate {bad} or its key is not PEM"),
        (Tls(certificate_file=tmp_path / "no", key_file=bad), "or its key cannot be read: No such file"),
    ]
    for tls, message in cases:
        with pytest.raises(ConfigError, match=message) as caught:
            tls.ssl_context()
        assert "s3cr3t" not in str(caught.value)
