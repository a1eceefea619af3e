"""The ExecCredential exchanged with a credential plugin (client.authentication.k8s.io): pure, bytes in and out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from konverge.client.config.credentials import ClientCertificate, bearer
from konverge.errors import ConfigError

API_VERSIONS = ("client.authentication.k8s.io/v1", "client.authentication.k8s.io/v1beta1")


@dataclass(frozen=True, slots=True)
class ExecCredential:
    """What a plugin answered; without an expiry it is good until the server refuses it."""

    authorization: str | None = field(repr=False)
    certificate: ClientCertificate | None = field(repr=False)
    expires: datetime | None


def exec_info(api_version: str, *, interactive: bool, cluster: Mapping[str, Any] | None) -> str:
    """Return what the plugin finds in KUBERNETES_EXEC_INFO."""
    spec: dict[str, Any] = {"interactive": interactive}
    if cluster is not None:
        spec["cluster"] = cluster
    return msgspec.json.encode({"kind": "ExecCredential", "apiVersion": api_version, "spec": spec}).decode()


def parse_exec_credential(output: bytes, *, api_version: str, source: str) -> ExecCredential:
    """Read what the plugin printed; the errors say what is wrong with it and never quote it."""
    try:
        answer = msgspec.json.decode(output, type=_Answer)
    except (msgspec.MsgspecError, UnicodeDecodeError):  # not chained: it could carry a part of the credential
        raise ConfigError(f"{source} did not print an ExecCredential as JSON") from None
    if answer.kind != "ExecCredential" or answer.api_version != api_version:
        raise ConfigError(f"{source} must print an ExecCredential of apiVersion {api_version}, and printed another")
    status = answer.status
    if status is None or not (status.token or status.client_certificate_data or status.client_key_data):
        raise ConfigError(f"{source} printed an ExecCredential with neither a token nor a certificate in its status")
    return ExecCredential(
        bearer(status.token, source=f"the token of {source}") if status.token else None,
        _certificate(status, source),
        _expiry(status, source),
    )


class _Status(msgspec.Struct, rename="camel"):
    token: str | None = None
    client_certificate_data: str | None = None
    client_key_data: str | None = None
    expiration_timestamp: str | None = None

    def __repr__(self) -> str:
        return "_Status()"


class _Answer(msgspec.Struct, rename="camel"):
    kind: str = ""
    api_version: str = ""
    status: _Status | None = None


def _certificate(status: _Status, source: str) -> ClientCertificate | None:
    certificate, key = status.client_certificate_data, status.client_key_data
    if bool(certificate) != bool(key):
        raise ConfigError(f"{source} printed only one of clientCertificateData and clientKeyData: both are needed")
    return ClientCertificate(certificate.encode(), key.encode()) if certificate and key else None


def _expiry(status: _Status, source: str) -> datetime | None:
    if not status.expiration_timestamp:
        return None
    try:
        expires = datetime.fromisoformat(status.expiration_timestamp)
    except ValueError:
        expires = None
    if expires is None or expires.tzinfo is None:
        raise ConfigError(f"{source} printed an expirationTimestamp that is not of the form 2026-01-31T12:00:00Z")
    return expires
