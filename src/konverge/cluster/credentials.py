"""What an embedded cluster proves itself with, and its administrator to it: certificates and a kubeconfig.

With a data folder the authority is kept in it, so a kubeconfig stays good from one start to the next. Files with keys
are for their owner alone, and they appear whole or not at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

from konverge.certificates import Authority, KeyPair, SigningKey, TokenSigner, signing_key
from konverge.cluster.identity import ANY_ADDRESS, NAME, Identity
from konverge.cluster.private_file import write_private
from konverge.errors import ConfigError

_ADMINISTRATOR: Final = "kubernetes-admin"
_MASTERS: Final = "system:masters"
_NAMES: Final = (
    *("kubernetes", "kubernetes.default", "kubernetes.default.svc", "localhost", "127.0.0.1", "::1"),
    *("10.96.0.1", "127.96.0.1"),  # the service `kubernetes`, in the usual range and in that of a node of processes
)


@dataclass(frozen=True, slots=True)
class Credentials:
    """An authority, for one embedded cluster."""

    authority: Authority

    @classmethod
    def of(cls, folder: Path | None) -> Credentials:
        """Return the authority that is kept in a folder, made there when it has none; without a folder a new one."""
        if folder is None:
            return cls(Authority.create(NAME))
        certificate, key = folder / "ca.crt", folder / "ca.key"
        if certificate.exists() and key.exists():
            return cls(_stored(certificate, key))
        authority = Authority.create(NAME)
        write_private(key, authority.pair.key)
        write_private(certificate, authority.pair.certificate)
        return cls(authority)

    def identity(self, host: str) -> Identity:
        """Make certificates for a server on a host, and for its administrator."""
        names = dict.fromkeys((*_NAMES, host) if host not in ANY_ADDRESS else _NAMES)
        server, administrator = self.authority.server(*names), self.authority.client(_ADMINISTRATOR, groups=[_MASTERS])
        return Identity(
            authority=self.authority.certificate,
            server=server.certificate + server.key,
            certificate=administrator.certificate,
            key=administrator.key,
            authority_key=self.authority.pair.key,
        )


def _stored(certificate: Path, key: Path) -> Authority:
    try:
        return Authority(KeyPair(certificate.read_bytes(), key.read_bytes()))
    except (OSError, ConfigError) as error:
        remedy = "remove both to have new ones made; kubeconfigs written before are then refused"
        raise ConfigError(f"{certificate} and {key.name} cannot be used: {error}; {remedy}") from error


def token_signer(folder: Path | None) -> TokenSigner:
    """Return the key of service account tokens that is kept in a folder, made there when it has none.

    Without a folder it is a new one: tokens end with the server that gave them out.
    """
    if folder is None:
        return TokenSigner(signing_key())
    file = folder / "tokens.key"
    if not file.exists():
        write_private(file, signing_key().private)
    try:
        return TokenSigner(SigningKey(private=file.read_bytes(), public=b""))
    except (OSError, ConfigError) as error:
        remedy = "remove it to have a new one made; tokens that were given out before are then refused"
        raise ConfigError(f"{file} cannot be used: {error}; {remedy}") from error
