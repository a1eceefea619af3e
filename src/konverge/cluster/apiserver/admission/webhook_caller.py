"""WebhookCaller: how the server reaches a webhook; the port behind which HTTP, or a handler in the same process, is."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

_HTTPS = 443


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookService:
    """A webhook by its Service."""

    namespace: str
    name: str
    path: str = ""
    port: int = _HTTPS

    @property
    def host(self) -> str:
        """The name that its certificate must carry."""
        return f"{self.name}.{self.namespace}.svc"


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookTarget:
    """Where a webhook is, and whose certificates it may show: a `clientConfig`."""

    url: str = ""
    service: WebhookService | None = None
    ca_bundle: bytes = field(default=b"", repr=False)  # PEM; empty: what the system trusts

    @classmethod
    def of(cls, client: Mapping[str, Any]) -> WebhookTarget:
        """Read a `clientConfig`."""
        service = client.get("service")
        found = None
        if service is not None:
            found = WebhookService(
                namespace=service.get("namespace", ""),
                name=service.get("name", ""),
                path=service.get("path") or "",
                port=service.get("port") or _HTTPS,
            )
        bundle = base64.b64decode(client.get("caBundle") or "")
        return cls(url=client.get("url") or "", service=found, ca_bundle=bundle)

    @property
    def shown_url(self) -> str:
        """The URL as the real server's errors show it, without the query."""
        if self.service is None:
            return self.url
        return f"https://{self.service.host}:{self.service.port}/{self.service.path.lstrip('/')}"


@dataclass(frozen=True, slots=True)
class WebhookAnswer:
    """What came back."""

    status: int
    body: bytes = field(repr=False)
    content_type: str = ""


class CallFailed(Exception):
    """No answer came; the message says why, as Go's client would."""


class NoClient(CallFailed):
    """Nobody could be called: what the configuration says of the webhook makes no sense."""


class HalfAnswer(CallFailed):
    """An answer began, and is none; where it came from is not told."""


class WebhookCaller(Protocol):
    """Carries reviews to webhooks."""

    async def call(self, target: WebhookTarget, body: bytes, *, seconds: int) -> WebhookAnswer:
        """POST a JSON body; the webhook is told how many seconds it has. Raises `CallFailed`.

        Who calls sets the limit of time: it may be cancelled.
        """
        ...


class NoCaller:
    """A server that reaches nobody."""

    async def call(self, target: WebhookTarget, body: bytes, *, seconds: int) -> WebhookAnswer:  # noqa: ARG002 - the port's
        """Fail: it has no way out."""
        raise CallFailed(f'Post "{target.shown_url}?timeout={seconds}s": this server was given no way to call webhooks')
