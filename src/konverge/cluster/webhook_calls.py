"""WebhookCalls: how an embedded cluster reaches webhooks: over HTTPS, or by a handler in the same process.

The API server's core knows only its port (`WebhookCaller`). A handler that is registered here needs no socket, so it
serves under virtual time too; all else is called over HTTPS. A Service is found by `services`, where a cluster has
nobody who routes to pods.
"""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from contextvars import ContextVar
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from konverge.cluster.apiserver.admission.webhook_caller import (
    CallFailed,
    HalfAnswer,
    NoClient,
    WebhookAnswer,
    WebhookService,
    WebhookTarget,
)

if TYPE_CHECKING:
    from konverge.cluster.webhook_http import HttpWebhooks

Handler = Callable[[str, bytes], Awaitable[bytes]]  # a path and a review in, a review out
Address = tuple[str, int]

_OK: Final = 200
_HTTPS: Final = 443
_MOST_DIGITS: Final = 9  # of a port: more are as wrong as these
_DEEPEST: Final = 20
_log = logging.getLogger(__name__)
# How many handlers wait for each other: under virtual time no clock would ever end a loop of them.
_depth: ContextVar[int] = ContextVar("depth", default=0)


class WebhookCalls:
    """Carries reviews to webhooks. `close` it with its cluster."""

    def __init__(self) -> None:
        # By namespace, name and port of a Service: the host and port to connect to.
        self.services: dict[tuple[str, str, int], Address] = {}
        self._handlers: dict[str, Handler] = {}
        self._http: HttpWebhooks | None = None

    def register(self, origin: str, handler: Handler) -> None:
        """Let a handler of this process answer for `https://host:port`, or for `https://<name>.<namespace>.svc`."""
        self._handlers[_origin(origin)] = handler

    def unregister(self, origin: str) -> None:
        """Forget a handler."""
        self._handlers.pop(_origin(origin), None)

    async def close(self) -> None:
        """Close the connections that were kept."""
        if self._http is not None:
            await self._http.close()

    async def call(self, target: WebhookTarget, body: bytes, *, seconds: int) -> WebhookAnswer:
        """POST a review."""
        path = urlsplit(target.shown_url).path or "/"
        handler = self._handlers.get(_origin(target.shown_url))
        if handler is not None:
            return WebhookAnswer(_OK, await _handled(handler, path, body), "application/json")
        try:
            address, name = self._address(target)
            return await self._posting().post(
                address, name, f"{path}?timeout={seconds}s", body=body, bundle=target.ca_bundle
            )
        except (NoClient, HalfAnswer):
            raise
        except CallFailed as error:
            raise CallFailed(f'Post "{target.shown_url}?timeout={seconds}s": {error}') from error

    def _posting(self) -> HttpWebhooks:
        if self._http is None:
            # A cluster without webhooks needs no client, and none of what it imports.
            from konverge.cluster.webhook_http import HttpWebhooks  # noqa: PLC0415

            self._http = HttpWebhooks()
        return self._http

    def _address(self, target: WebhookTarget) -> tuple[Address, str]:
        """Return where to connect, and the name that the certificate must carry."""
        if target.service is not None:
            return self._service(target.service), target.service.host
        host = urlsplit(target.url).hostname or ""
        return (host, _port(target.url)), host

    def _service(self, service: WebhookService) -> Address:
        found = self.services.get((service.namespace, service.name, service.port))
        if found is None:
            raise CallFailed(f'service "{service.name}" not found')
        return found


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}:{_port(url)}"


def _port(url: str) -> int:
    """Return the port of a URL, which may be one that no machine has."""
    digits = urlsplit(url).netloc.rpartition(":")[2]
    return int(digits[:_MOST_DIGITS]) if digits.isascii() and digits.isdigit() else _HTTPS


async def _handled(handler: Handler, path: str, body: bytes) -> bytes:
    """Ask a handler; one that fails is a webhook that does not answer."""
    if _depth.get() >= _DEEPEST:
        raise CallFailed(f"webhooks of this process ask for writes that ask webhooks, {_DEEPEST} times over")
    outer = _depth.set(_depth.get() + 1)
    try:
        return await handler(path, body)
    except Exception as error:
        _log.exception("the handler of a webhook failed, at %s", path)
        raise CallFailed(f"the handler of this process failed: {type(error).__name__}") from error
    finally:
        _depth.reset(outer)
