"""The `cluster` part of a kubeconfig: where the server is, and how to know that it is the right one."""

from __future__ import annotations

import base64
from typing import Any

import msgspec

from konverge.client.config.config import server_url
from konverge.client.config.kubeconfig import Entry
from konverge.client.config.proxy import check_proxy_url
from konverge.client.config.tls import Tls, read
from konverge.errors import ConfigError

_EXEC_EXTENSION = "client.authentication.k8s.io/exec"  # what a cluster wants credential plugins to know


class _Extension(msgspec.Struct):
    name: str
    extension: Any = None


class Cluster(msgspec.Struct, rename="kebab"):
    """The fields as they stand in the file."""

    server: str | None = None
    tls_server_name: str | None = None
    insecure_skip_tls_verify: bool | None = None
    certificate_authority: str | None = None
    certificate_authority_data: str | None = None
    proxy_url: str | None = None
    disable_compression: bool | None = None
    extensions: list[_Extension] | None = None

    def __repr__(self) -> str:
        return f"Cluster({self.server!r})"  # a proxy URL may carry a password

    def url(self, entry: Entry) -> str:
        """Return the server's URL; without a scheme it is http, as kubectl reads it."""
        if not self.server:
            raise ConfigError(f"{entry.where('server')} is missing")
        server = self.server if "://" in self.server else f"http://{self.server}"
        return server_url(server, source=entry.where("server"))

    def proxy(self, entry: Entry) -> str | None:
        """Return the proxy the cluster asks for."""
        return check_proxy_url(self.proxy_url, source=entry.where("proxy-url")) if self.proxy_url else None

    def trust(self, entry: Entry) -> Tls:
        """Return the server's half of the TLS settings."""
        data, path = entry.data_or_file(
            "certificate-authority", data=self.certificate_authority_data, file=self.certificate_authority
        )
        if self.insecure_skip_tls_verify and (data or path):
            where = entry.where("insecure-skip-tls-verify")
            raise ConfigError(f"{where} and a certificate-authority are both given: remove one")
        if any(character.isspace() for character in self.tls_server_name or ""):
            raise ConfigError(f"{entry.where('tls-server-name')} must be a host name, without spaces")
        return Tls(
            ca_data=data,
            ca_file=path,
            ca_source=entry.where("certificate-authority-data" if data else "certificate-authority"),
            tls_server_name=self.tls_server_name or "",
            insecure_skip_tls_verify=bool(self.insecure_skip_tls_verify),
        )

    def exec_info(self, entry: Entry) -> dict[str, Any]:
        """Return what a credential plugin is told about the cluster, in the fields of ExecCredential."""
        trust = self.trust(entry)
        ca = read(trust.ca_data, trust.ca_file, what="the certificate authority")
        extensions = {extension.name: extension.extension for extension in self.extensions or ()}
        info = {
            "server": self.url(entry),
            "tls-server-name": self.tls_server_name,
            "insecure-skip-tls-verify": self.insecure_skip_tls_verify,
            "certificate-authority-data": base64.b64encode(ca).decode() if ca else None,
            "proxy-url": self.proxy_url,
            "disable-compression": self.disable_compression,
            "config": extensions.get(_EXEC_EXTENSION),
        }
        return {name: value for name, value in info.items() if value or (name == "config" and value is not None)}
