from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pytest
from opentelemetry import trace

from konverge.api.kind import ObjectKey
from konverge.api.request import get
from konverge.controller.reconcile import BlockingContext, Context, Request, Result
from konverge.errors import NotFound
from konverge.manager.activity import Activity
from konverge.manager.observed import observed
from konverge.manager.tracing import Tracing, tracer
from konverge.models.coordination_v1 import Lease
from konverge.queue import Causes
from konverge.testing import virtual_time

if TYPE_CHECKING:
    from tests.manager.conftest import Leases


class Spans(trace.NoOpTracer):
    """A tracer that writes down which spans begin and end, within which."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self.attributes: list[Any] = []
        self._open: list[str] = []

    @contextmanager
    def start_as_current_span(self, name: str, *_: Any, **options: Any) -> Iterator[trace.Span]:  # type: ignore[override]  # a generator does
        """Note a span and what it is in."""
        self.lines.append(" > ".join([*self._open, name]))
        self.attributes.append(options.get("attributes"))
        self._open.append(name)
        try:
            yield trace.INVALID_SPAN
        finally:
            self._open.pop()


@pytest.fixture
def spans() -> Spans:
    """A tracer that notes."""
    return Spans()


class FakeContext:
    """As much of a context as is looked at."""

    causes = Causes()


def test_an_api_call_is_a_child_of_its_reconcile(spans: Spans, leases: type[Leases]) -> None:
    """Both are named by what they do, and carry the object."""
    tracing = Tracing(spans)
    transport = tracing.transport(leases.Line(leases.Server()))
    activity = Activity()
    seen: list[str] = []

    async def reconcile(ctx: Context, request: Request) -> Result | None:
        del ctx
        seen.append(activity.of(asyncio.current_task()))
        with pytest.raises(NotFound):
            await transport.call(get(Lease.__resource__, ObjectKey(request.namespace, request.name)))
        return None

    made: Any = observed("widget", reconcile, activity=activity, tracing=tracing)

    async def main() -> None:
        await made(FakeContext(), Request("shop", "cart"))
        seen.append(activity.of(asyncio.current_task()))

    virtual_time.run(main())
    assert spans.lines == ["reconcile widget", "reconcile widget > get leases"]
    assert spans.attributes[0]["k8s.namespace.name"] == "shop"
    assert spans.attributes[1]["http.request.method"] == "GET"
    assert seen[0] == "widget shop/cart"
    assert "cart" not in seen[1]


def test_a_plain_reconcile_stays_plain(spans: Spans) -> None:
    """It is called in a thread, so it must not become a coroutine function."""

    def reconcile(ctx: BlockingContext, request: Request) -> Result | None:
        del ctx, request
        return Result(requeue_after=3)

    made: Any = observed("widget", reconcile, activity=Activity(), tracing=Tracing(spans))
    assert made(FakeContext(), Request("shop", "cart")) == Result(requeue_after=3)
    assert spans.lines == ["reconcile widget"]


def test_the_applications_provider_is_used() -> None:
    """With OpenTelemetry installed there is a tracer, and without a set-up of it spans cost next to nothing."""
    assert isinstance(tracer(trace.NoOpTracerProvider()), Tracing)


def test_without_opentelemetry_nothing_is_wrapped_or_imported() -> None:
    """A program in which the extra is not installed runs without it."""
    code = (
        "import sys; sys.modules['opentelemetry'] = None\n"
        "from konverge.manager.tracing import tracer\n"
        "assert tracer() is None\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_nothing_is_imported_and_no_span_made_before_the_application_has_a_provider() -> None:
    """OpenTelemetry that is installed and not set up costs nothing; set up later, it is used from then on."""
    code = (
        "import sys\n"
        "from konverge.manager.tracing import tracer\n"
        "tracing = tracer()\n"
        "assert tracing.tracer() is None and 'opentelemetry.trace' not in sys.modules\n"
        "from opentelemetry import trace\n"
        "assert tracing.tracer() is None\n"
        "with tracing.reconcile('widget', None):\n"
        "    pass\n"
        "trace.set_tracer_provider(trace.NoOpTracerProvider())\n"
        "assert isinstance(tracing.tracer(), trace.NoOpTracer)\n"
    )
    subprocess.run([sys.executable, "-W", "error", "-c", code], check=True)


async def test_without_a_provider_calls_pass_through(leases: type[Leases]) -> None:
    """A transport that traces does what the one below does."""
    transport = Tracing().transport(leases.Line(leases.Server()))
    with pytest.raises(NotFound):
        await transport.call(get(Lease.__resource__, ObjectKey("shop", "cart")))
