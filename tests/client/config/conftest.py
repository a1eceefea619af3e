"""Kubeconfig files, throw-away certificates and a loop whose time can be moved, for the tests of this folder."""

from __future__ import annotations

import asyncio
import datetime as dt
import ipaddress
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

Document = dict[str, Any]


def document(**parts: Any) -> Document:
    """A kubeconfig with one of each; `cluster`, `user` and `context` replace the content of the entry."""
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "dev",
        "clusters": [{"name": "kind", "cluster": parts.get("cluster", {"server": "https://10.0.0.1:6443"})}],
        "users": [{"name": "admin", "user": parts.get("user", {})}],
        "contexts": [{"name": "dev", "context": parts.get("context", {"cluster": "kind", "user": "admin"})}],
    }


@pytest.fixture
def kubeconfig(tmp_path: Path) -> Callable[..., Path]:
    """Write a kubeconfig built by `document` and return its path."""

    def write(name: str = "config", **parts: Any) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(yaml.safe_dump(document(**parts)))
        return path

    return write


@dataclass(frozen=True)
class Pair:
    """A certificate and its key as PEM."""

    certificate: bytes
    key: bytes


@dataclass(frozen=True)
class Authority:
    """A certificate authority that signs for the tests."""

    pem: bytes
    name: x509.Name
    key: ec.EllipticCurvePrivateKey

    def issue(self, common_name: str, *sans: str) -> Pair:
        """Sign a certificate for the names or addresses."""
        key = ec.generate_private_key(ec.SECP256R1())
        builder = _builder(_name(common_name), self.name, key)
        if sans:
            builder = builder.add_extension(x509.SubjectAlternativeName([_san(san) for san in sans]), critical=False)
        return Pair(_pem(builder.sign(self.key, hashes.SHA256())), _key_pem(key))


@pytest.fixture(scope="session")
def authority() -> Authority:
    """One authority for all tests: making keys costs time."""
    key = ec.generate_private_key(ec.SECP256R1())
    name = _name("test authority")
    builder = _builder(name, name, key).add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
    return Authority(_pem(builder.sign(key, hashes.SHA256())), name, key)


class _MovableLoop(asyncio.SelectorEventLoop):
    """A loop whose time jumps when a test says so."""

    offset = 0.0

    def time(self) -> float:
        """The loop's own time plus the jumps."""
        return super().time() + self.offset


@pytest.fixture
def run_with_jumps() -> Callable[[Callable[[Callable[[float], None]], Coroutine[Any, Any, None]]], None]:
    """Run a coroutine function that is given `jump`, which moves the loop's time to so many seconds ahead."""

    def run(main: Callable[[Callable[[float], None]], Coroutine[Any, Any, None]]) -> None:
        with asyncio.Runner(loop_factory=_MovableLoop) as runner:
            loop = runner.get_loop()
            runner.run(main(lambda seconds: setattr(loop, "offset", seconds)))

    return run


def _name(common_name: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common_name)])


def _san(value: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(value))
    except ValueError:
        return x509.DNSName(value)


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
    now = dt.datetime.now(dt.UTC)
    return (
        x509.CertificateBuilder(subject_name=subject, issuer_name=issuer, public_key=key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - dt.timedelta(hours=1))
        .not_valid_after(now + dt.timedelta(hours=1))
    )


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _key_pem(key: ec.EllipticCurvePrivateKey) -> bytes:
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
