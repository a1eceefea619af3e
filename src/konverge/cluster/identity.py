"""Identity: what an embedded cluster shows to its clients, and what its administrator shows to it; PEM, made elsewhere.

It knows no cryptography but the `ssl` module, so that who serves need not import more.
"""

from __future__ import annotations

import base64
import ipaddress
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from konverge.cluster.private_file import write_private
from konverge.errors import ConfigError

if TYPE_CHECKING:
    import ssl

ANY_ADDRESS: Final = ("0.0.0.0", "::")  # noqa: S104 - not bound to here, only told apart
NAME: Final = "konverge"


@dataclass(frozen=True, slots=True)
class Identity:
    """Certificates and keys, for one start of a server; the keys are never printed."""

    authority: bytes  # the certificate that both sides trust
    server: bytes = field(repr=False)  # certificate and key
    certificate: bytes  # the administrator's
    key: bytes = field(repr=False)
    authority_key: bytes = field(default=b"", repr=False)  # with which other certificates are signed; empty: none are

    def to_bytes(self) -> bytes:
        """Return all of it, keys included, to be handed to another process."""
        return b"\0".join((self.authority, self.server, self.certificate, self.key, self.authority_key))

    @classmethod
    def from_bytes(cls, data: bytes) -> Identity:
        """Take what `to_bytes` returned."""
        authority, server, certificate, key, authority_key = data.split(b"\0")
        return cls(authority, server, certificate, key, authority_key)

    def tls(self) -> ssl.SSLContext:
        """Return how to serve: who shows a client certificate must have it from this authority."""
        import ssl  # noqa: PLC0415 - who only makes certificates need not wait for it

        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.set_alpn_protocols(["http/1.1"])
        context.verify_mode = ssl.CERT_OPTIONAL
        context.load_verify_locations(cadata=self.authority.decode())
        with tempfile.TemporaryDirectory() as folder:  # the ssl module takes it from files only
            file = Path(folder) / "server.pem"
            write_private(file, self.server)
            context.load_cert_chain(file)
        return context

    def kubeconfig(self, server: str) -> bytes:
        """Return the kubeconfig of the administrator; what stands in it needs no quotes."""
        return f"""\
apiVersion: v1
kind: Config
clusters:
- name: {NAME}
  cluster:
    server: {server}
    certificate-authority-data: {_base64(self.authority)}
users:
- name: {NAME}
  user:
    client-certificate-data: {_base64(self.certificate)}
    client-key-data: {_base64(self.key)}
contexts:
- name: {NAME}
  context:
    cluster: {NAME}
    user: {NAME}
current-context: {NAME}
""".encode()


def _base64(data: bytes) -> str:
    return base64.b64encode(data).decode()


def server_url(host: str, port: int) -> str:
    """Return the address that clients on this machine use."""
    if host in ANY_ADDRESS:
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
    import yaml  # noqa: PLC0415 - a first start has nothing to read, and should not wait for it

    try:
        found: Any = yaml.safe_load(path.read_bytes())
    except (OSError, yaml.YAMLError):
        return False
    clusters = found.get("clusters") if isinstance(found, dict) else None
    return isinstance(clusters, list) and [each.get("name") for each in clusters if isinstance(each, dict)] == [NAME]
