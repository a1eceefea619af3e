"""Where the certificates that konverge makes are kept: in memory, or in a Secret that all replicas share."""

from __future__ import annotations

import base64
from typing import Any, Final, Protocol

import msgspec

from konverge.api.form import unstructured
from konverge.api.unstructured import Unstructured
from konverge.certificates import Authority, KeyPair
from konverge.client.client import Client
from konverge.errors import ConfigError, NotFound
from konverge.webhook.certificate import Certificates, server_context

_SECRET: Final = unstructured("v1", "Secret")
_AUTHORITIES: Final = "authorities.json"  # pairs of certificate and key, the oldest first


class CertificateStore(Protocol):
    """Keeps one value; `save` raises `Conflict` or `AlreadyExists` where another replica was faster."""

    async def load(self) -> Certificates | None:
        """Return what is kept."""
        ...

    async def save(self, certificates: Certificates) -> None:
        """Keep this instead of what was loaded last."""
        ...


class InMemory:
    """For a single process: one at a URL on a developer's machine, or in a test."""

    def __init__(self) -> None:
        self._kept: Certificates | None = None

    async def load(self) -> Certificates | None:
        """Return what is kept."""
        return self._kept

    async def save(self, certificates: Certificates) -> None:
        """Keep it."""
        self._kept = certificates


class InSecret:
    """For several replicas behind one Service; the Secret's keys are those of type kubernetes.io/tls, and one more."""

    def __init__(self, client: Client, *, namespace: str, name: str) -> None:
        self._client = client
        self._namespace = namespace
        self._name = name
        self._found: Unstructured | None = None

    async def load(self) -> Certificates | None:
        """Read the Secret; None if there is none, or if there is nothing usable in it."""
        try:
            self._found = await self._client.get(_SECRET, self._name, namespace=self._namespace)
        except NotFound:
            self._found = None
            return None
        return _read(dict(self._found["data"] or {}) if "data" in self._found else {})

    async def save(self, certificates: Certificates) -> None:
        """Create the Secret, or update the one that was read."""
        if self._found is None:
            metadata = {"name": self._name, "namespace": self._namespace}
            head = {"apiVersion": "v1", "kind": "Secret", "type": "kubernetes.io/tls", "metadata": metadata}
            await self._client.create(Unstructured.from_dict({**head, "data": _written(certificates)}))
            return
        self._found["data"] = _written(certificates)
        await self._client.update(self._found)


def _written(certificates: Certificates) -> dict[str, str]:
    pairs = [(pair.certificate.decode(), pair.key.decode()) for pair in certificates.authorities]
    parts = {
        "tls.crt": certificates.serving.certificate,
        "tls.key": certificates.serving.key,
        "ca.crt": certificates.ca_bundle,
        _AUTHORITIES: msgspec.json.encode(pairs),
    }
    return {name: base64.b64encode(part).decode() for name, part in parts.items()}


def _read(data: dict[str, Any]) -> Certificates | None:
    try:
        parts = {name: base64.b64decode(text) for name, text in data.items()}
        pairs = msgspec.json.decode(parts[_AUTHORITIES], type=list[tuple[str, str]])
        authorities = tuple(KeyPair(certificate.encode(), key.encode()) for certificate, key in pairs)
        found = Certificates(authorities=authorities, serving=KeyPair(parts["tls.crt"], parts["tls.key"]))
        _check(found)
    except (ConfigError, KeyError, TypeError, ValueError, msgspec.MsgspecError):
        return None  # made by hand or damaged: it is made anew
    return found


def _check(certificates: Certificates) -> None:
    """Raise `ConfigError` for what cannot be used."""
    for pair in certificates.authorities:
        Authority(pair)
    server_context(certificates.serving)
