"""`Tls`: whom the client trusts and which certificate it shows, and the `ssl.SSLContext` made of it.

Certificate files rotate under a running program: the transport compares `fingerprint()` now and then (a stat per
file), and builds a new context when it differs.
"""

from __future__ import annotations

import os
import ssl
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import NoReturn

from konverge.client.config.credentials import ClientCertificate
from konverge.errors import ConfigError

Signature = tuple[int, int, int]  # modification time, size, inode: a replaced or rewritten file has another one


@dataclass(frozen=True, slots=True, kw_only=True)
class Tls:
    """PEM as data or as files; of two forms of the same thing, data wins. Without a CA, the system's are trusted."""

    ca_data: bytes | None = field(default=None, repr=False)
    ca_file: Path | None = None
    certificate_data: bytes | None = field(default=None, repr=False)
    certificate_file: Path | None = None
    key_data: bytes | None = field(default=None, repr=False)
    key_file: Path | None = None
    tls_server_name: str = ""  # for SNI and for the name the certificate must carry; "": the host of the server
    insecure_skip_tls_verify: bool = False
    # Where these stand, for errors: the file and field of a kubeconfig.
    ca_source: str = field(default="", repr=False, compare=False)
    certificate_source: str = field(default="", repr=False, compare=False)

    def __post_init__(self) -> None:
        for name in ("ca_file", "certificate_file", "key_file"):
            if (value := getattr(self, name)) is not None:
                object.__setattr__(self, name, Path(value))
        if self.insecure_skip_tls_verify and (self.ca_data or self.ca_file):
            raise ConfigError("a CA and insecure_skip_tls_verify contradict each other: give one of them")
        if self.has_certificate != bool(self.key_data or self.key_file):
            raise ConfigError("a client certificate needs its key, and a key its certificate: give both")

    @property
    def has_certificate(self) -> bool:
        """Whether a client certificate is presented."""
        return bool(self.certificate_data or self.certificate_file)

    @property
    def authority(self) -> bytes:
        """The CA that the server is checked against, in PEM; empty where the system's are trusted."""
        return read(self.ca_data, self.ca_file, what="the certificate authority") or b""

    def fingerprint(self) -> tuple[Signature | None, ...]:
        """Return a value that differs once a file in use was replaced, changed or removed."""
        forms = (
            (self.ca_data, self.ca_file),
            (self.certificate_data, self.certificate_file),
            (self.key_data, self.key_file),
        )
        return tuple(signature(path) for data, path in forms if path and not data)

    def ssl_context(self, *, client_certificate: ClientCertificate | None = None) -> ssl.SSLContext:
        """Build a context from the files as they are now; `client_certificate` (an exec plugin's) wins over ours.

        The server name is not part of a context: pass `tls_server_name` where the connection is opened.
        """
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.hostname_checks_common_name = False  # as Go: only subject alternative names count
        context.set_alpn_protocols(["http/1.1"])
        self._trust(context)
        if client_certificate:
            _load_pair(context, client_certificate, source="the exec plugin's client certificate")
        elif self.has_certificate:
            self._present(context)
        return context

    def _trust(self, context: ssl.SSLContext) -> None:
        if self.insecure_skip_tls_verify:
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            return
        ca = self.authority
        if not ca:
            context.load_default_certs()
            return
        context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN  # as Go: an intermediate may be the root of trust
        try:
            context.load_verify_locations(cadata=ca.decode("ascii", "ignore"))
        except (ssl.SSLError, ValueError) as error:
            source = _placed(self.ca_source, _source("the certificate authority", self.ca_file))
            raise ConfigError(f"{source} holds no PEM certificate") from error

    def _present(self, context: ssl.SSLContext) -> None:
        if not self.certificate_data and not self.key_data and self.certificate_file and self.key_file:
            source = _placed(self.certificate_source, f"client certificate {self.certificate_file}")
            _load_files(context, self.certificate_file, self.key_file, source=source)
            return
        source = _placed(self.certificate_source, "the client certificate")
        certificate = read(self.certificate_data, self.certificate_file, what="the client certificate")
        key = read(self.key_data, self.key_file, what="the client key")
        _load_pair(context, ClientCertificate(certificate or b"", key or b""), source=source)


def signature(path: Path) -> Signature | None:
    """Return what changes when the file does, or None without a file. Links are followed: secrets are mounted so."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_size, found.st_ino


def read(data: bytes | None, path: Path | None, *, what: str) -> bytes | None:
    """Return the data, else what is in the file, else None."""
    if data or path is None:
        return data or None
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(f"{_source(what, path)} cannot be read: {error.strerror}") from error


def _placed(place: str, what: str) -> str:
    return f"{place}: {what}" if place else what


def _source(what: str, path: Path | None) -> str:
    return f"{what} {path}" if path else what


def _load_pair(context: ssl.SSLContext, pair: ClientCertificate, *, source: str) -> None:
    with private_file(pair.certificate + b"\n" + pair.key) as path:
        _load_files(context, path, path, source=source)


def _load_files(context: ssl.SSLContext, certificate: Path, key: Path, *, source: str) -> None:
    def refuse() -> NoReturn:  # without this OpenSSL would ask on the terminal and block
        raise ConfigError(f"{source} has an encrypted key: decrypt it, or use an exec plugin")

    try:
        context.load_cert_chain(certificate, key, password=refuse)
    except ssl.SSLError as error:
        problem = "does not belong to its key" if error.reason == "KEY_VALUES_MISMATCH" else "or its key is not PEM"
        raise ConfigError(f"{source} {problem}") from error
    except OSError as error:
        raise ConfigError(f"{source} or its key cannot be read: {error.strerror}") from error


@contextmanager
def private_file(content: bytes) -> Iterator[Path]:
    """Hold the content in a file only this user can read, for as long as the block runs; OpenSSL takes nothing else."""
    handle, name = tempfile.mkstemp(prefix="konverge-", suffix=".pem")  # created with mode 0600
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
        yield Path(name)
    finally:
        Path(name).unlink()
