"""Tracing: OpenTelemetry spans for reconciles and API calls, where `konverge[otel]` is installed.

Without it `tracer()` is None and nothing is wrapped, so nothing is paid. Spans go wherever the application's own
OpenTelemetry set-up sends them; an API call made by a reconcile is a child of its span. As long as there is no such
set-up no span is made, since nobody would see it: installed alone, OpenTelemetry is not even imported.
"""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from konverge.api.request import ApiRequest
from konverge.client.transport import ApiResponse, Transport
from konverge.version import __version__

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

_MODULE: Final = "opentelemetry.trace"
_BY_ENVIRONMENT: Final = "OTEL_PYTHON_TRACER_PROVIDER"  # names a provider that OpenTelemetry loads of its own accord


def tracer(provider: Any = None) -> Tracing | None:
    """Return what makes spans, by the application's tracer provider; None if OpenTelemetry is not installed."""
    try:
        found = find_spec("opentelemetry")
    except ModuleNotFoundError:
        return None
    if found is None:
        return None
    if provider is None and _BY_ENVIRONMENT not in os.environ:
        return Tracing()
    from opentelemetry import trace  # noqa: PLC0415 - an extra, and slow to import

    return Tracing(trace.get_tracer("konverge", __version__, tracer_provider=provider))


class Tracing:
    """Makes konverge's spans; without a tracer, by the application's, from the moment that it has one."""

    def __init__(self, tracer: Tracer | None = None) -> None:
        self._tracer = tracer

    def tracer(self) -> Tracer | None:
        """Return what makes spans; None as long as nobody would see them."""
        if self._tracer is None and (trace := sys.modules.get(_MODULE)) is not None:
            self._tracer = _set_up(trace)
        return self._tracer

    @contextmanager
    def reconcile(self, controller: str, request: Any, *, causes: object = "") -> Iterator[None]:
        """Make a span around one reconcile; an error that leaves it is recorded in it."""
        tracer = self.tracer()
        if tracer is None:
            yield
            return
        attributes = {
            "konverge.controller": controller,
            "k8s.namespace.name": request.namespace,
            "konverge.object.name": request.name,
            "konverge.causes": str(causes),
        }
        with tracer.start_as_current_span(f"reconcile {controller}", attributes=attributes):
            yield

    def transport(self, transport: Transport) -> TracedTransport:
        """Return a transport that makes a span around each call."""
        return TracedTransport(transport, self)


def _set_up(trace: Any) -> Tracer | None:
    """Return the tracer of the provider that the application has set; None if it has not."""
    ask, unset = getattr(trace, "get_tracer_provider", None), getattr(trace, "ProxyTracerProvider", None)
    if ask is None or unset is None:  # being imported at this moment, in another thread
        return None
    provider = ask()
    return None if isinstance(provider, unset) else provider.get_tracer("konverge", __version__)


class TracedTransport:
    """Passes requests on, each call in a span; of a stream only its opening, since it may stay open for hours."""

    def __init__(self, transport: Transport, tracing: Tracing) -> None:
        self._transport = transport
        self._tracing = tracing

    async def call(self, request: ApiRequest) -> ApiResponse:
        """Pass a call on."""
        tracer = self._tracing.tracer()
        if tracer is None:
            return await self._transport.call(request)
        with tracer.start_as_current_span(_name(request), attributes=_attributes(request)) as span:
            response = await self._transport.call(request)
            span.set_attribute("http.response.status_code", response.status)
            return response

    @asynccontextmanager
    async def stream(self, request: ApiRequest) -> AsyncIterator[AsyncIterator[bytes]]:
        """Pass a stream on."""
        tracer = self._tracing.tracer()
        if tracer is None:
            async with self._transport.stream(request) as chunks:
                yield chunks
            return
        span = tracer.start_span(_name(request), attributes=_attributes(request))
        ended = False
        try:
            async with self._transport.stream(request) as chunks:
                span.end()
                ended = True
                yield chunks
        finally:
            if not ended:
                span.end()

    async def close(self) -> None:
        """Close the transport below."""
        await self._transport.close()


def _name(request: ApiRequest) -> str:
    return f"{request.operation.verb} {request.operation.resource}"


def _attributes(request: ApiRequest) -> dict[str, str]:
    operation = request.operation
    return {
        "http.request.method": request.method,
        "url.path": request.path,
        "k8s.namespace.name": operation.namespace,
        "konverge.object.name": operation.name,
    }
