"""A reconciler as the manager sees it: noted in the activity while it runs, and in a span where there is tracing."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

from konverge.controller.reconcile import (
    AsyncForm,
    BlockingContext,
    Context,
    ReconcilerLike,
    Request,
    Result,
    form_of_reconciler,
)
from konverge.manager.activity import Activity
from konverge.manager.tracing import Tracing


def observed(
    controller: str, reconciler: ReconcilerLike, *, activity: Activity, tracing: Tracing | None
) -> ReconcilerLike:
    """Return the reconciler, async or plain as it was, with its runs noted."""
    form = form_of_reconciler(reconciler)

    def span(ctx: Context | BlockingContext, request: Request) -> AbstractContextManager[Any]:
        return nullcontext() if tracing is None else tracing.reconcile(controller, request, causes=ctx.causes)

    if isinstance(form, AsyncForm):
        call = form.call

        async def reconcile(ctx: Context, request: Request) -> Result | None:
            task = activity.began(controller, request)
            try:
                if tracing is None or tracing.tracer() is None:
                    return await call(ctx, request)
                with span(ctx, request):
                    return await call(ctx, request)
            finally:
                activity.ended(task)

        return reconcile
    blocking = form.call

    def reconcile_in_thread(ctx: BlockingContext, request: Request) -> Result | None:
        with span(ctx, request):
            return blocking(ctx, request)

    return reconcile_in_thread
