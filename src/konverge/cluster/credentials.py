"""What an embedded cluster proves itself with, and its administrator to it: certificates and a kubeconfig.

With a data folder the authority is kept in it, so a kubeconfig stays good from one start to the next. Files with keys
are for their owner alone, and they appear whole or not at all.
"""

from __future__ import annotations

import base64
import ipaddress
import os
import ssl
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

from konverge.certificates import Authority, KeyPair
from konverge.errors import ConfigError

_NAME: Final = "konverge"
_ADMINISTRATOR: Final = "kubernetes-admin"
_MASTERS: Final = "system:masters"
_NAMES: Final = ("kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "127.0.0.1", "::1")
_ANY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - not bound to here, only told apart


@dataclass(frozen=True, slots=True)
class Credentials:
    """An authority, for one embedded cluster."""

    authority: Authority

    @classmethod
    def of(cls, folder: Path | None) -> Credentials:
        """Return the authority that is kept in a folder, made there when it has none; without a folder a new one."""
        if folder is None:
            return cls(Authority.create(_NAME))
        certificate, key = folder / "ca.crt", folder / "ca.key"
        if certificate.exists() and key.exists():
            return cls(_stored(certificate, key))
        authority = Authority.create(_NAME)
        write_private(key, authority.pair.key)
        write_private(certificate, authority.pair.certificate)
        return cls(authority)

    def tls(self, host: str) -> ssl.SSLContext:
        """Return how to serve: who shows a client certificate must have it from this authority."""
        names = dict.fromkeys((*_NAMES, host) if host not in _ANY_ADDRESS else _NAMES)
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=self.authority.certificate.decode())
        _load(context, self.authority.server(*names))
        return context

    def kubeconfig(self, server: str) -> bytes:
        """Return the kubeconfig of an administrator."""
        pair = self.authority.client(_ADMINISTRATOR, groups=[_MASTERS])
        cluster = {"server": server, "certificate-authority-data": _base64(self.authority.certificate)}
        user = {"client-certificate-data": _base64(pair.certificate), "client-key-data": _base64(pair.key)}
        value = {
            "apiVersion": "v1",
            "kind": "Config",
            "clusters": [{"name": _NAME, "cluster": cluster}],
            "users": [{"name": _NAME, "user": user}],
            "contexts": [{"name": _NAME, "context": {"cluster": _NAME, "user": _NAME}}],
            "current-context": _NAME,
        }
        return yaml.safe_dump(value, sort_keys=False).encode()


def _stored(certificate: Path, key: Path) -> Authority:
    try:
        return Authority(KeyPair(certificate.read_bytes(), key.read_bytes()))
    except (OSError, ConfigError) as error:
        remedy = "remove both to have new ones made; kubeconfigs written before are then refused"
        raise ConfigError(f"{certificate} and {key.name} cannot be used: {error}; {remedy}") from error


def server_url(host: str, port: int) -> str:
    """Return the address that clients on this machine use."""
    if host in _ANY_ADDRESS:
        host = "127.0.0.1"
    try:
        is_v6 = ipaddress.ip_address(host).version == 6  # noqa: PLR2004 - the version of the protocol
    except ValueError:
        is_v6 = False
    return f"https://[{host}]:{port}" if is_v6 else f"https://{host}:{port}"


def write_kubeconfig(path: Path, contents: bytes) -> None:
    """Write a kubeconfig, never over one that was not written here: it may be the only copy of someone's access."""
    if path.exists() and not _is_ours(path):
        raise ConfigError(
            f"{path}: is not an embedded cluster's kubeconfig, so it is not replaced; choose another file"
        )
    write_private(path, contents)


def _is_ours(path: Path) -> bool:
    try:
        found: Any = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError):
        return False
    clusters = found.get("clusters") if isinstance(found, dict) else None
    return isinstance(clusters, list) and [each.get("name") for each in clusters if isinstance(each, dict)] == [_NAME]


def write_private(path: Path, contents: bytes) -> None:
    """Write a file that only its owner may read, whole or not at all. Raises `ConfigError`."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # made with mode 0600
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(contents)
            Path(temporary).replace(path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}; choose another place") from error


def _load(context: ssl.SSLContext, pair: KeyPair) -> None:
    """Give a context its certificate; the ssl module takes it from files only."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "server.pem"
        write_private(file, pair.certificate + pair.key)
        context.load_cert_chain(file)


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()
