"""Attempt: one call of the author's code, whichever form it has, with everything it may do turned into an outcome.

Whatever is raised becomes a value; only the cancelling of the worker itself goes through. An async reconcile has a task
of its own: a cancellation that it asks for or swallows, and the context variables that it sets, end with it and do not
reach the next object's run. A timeout ends it where it waits. A thread cannot be ended: its client stops working, and
the worker waits for it all the same, since a key must never have two.
"""

from __future__ import annotations

import asyncio
import contextvars
from collections.abc import Awaitable, Callable
from concurrent.futures import Executor
from typing import TYPE_CHECKING, TypeVar

from konverge.controller.reconcile import ReconcileTimeout, Request, Result, checked_result
from konverge.errors import KonvergeError

if TYPE_CHECKING:
    from konverge.controller.host_loop import HostLoop

C = TypeVar("C")


class Cancelled(KonvergeError):
    """A reconcile raised CancelledError although nobody had cancelled it: a task it waited for was cancelled."""


async def attempt(
    call: Callable[[C, Request], Awaitable[Result | None]],
    context: C,
    request: Request,
    *,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | BaseException:
    """Await an async reconcile, in a task of its own, and return what came of it."""
    run = asyncio.create_task(_awaited(call, context, request, timeout), name=f"reconcile {request}")
    try:
        return await run
    except asyncio.CancelledError as error:
        if _being_cancelled():
            raise
        return _caused(Cancelled(f"{request}: the reconcile ended in a cancelled task"), error)


async def _awaited(
    call: Callable[[C, Request], Awaitable[Result | None]],
    context: C,
    request: Request,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | Exception:
    limit = None if timeout is None else asyncio.timeout(timeout)
    try:
        if limit is None:
            return checked_result(await call(context, request))
        async with limit:
            return checked_result(await call(context, request))
    except TimeoutError as error:
        return error if limit is None or not limit.expired() else _caused(_too_long(request, timeout), error)
    except Exception as error:  # noqa: BLE001 - the author's code: anything may come
        return error


async def attempt_in_thread(
    call: Callable[[C, Request], Result | None],
    context: C,
    request: Request,
    *,
    host: HostLoop,
    threads: Executor,
    timeout: float | None,  # noqa: ASYNC109 - measured here
) -> Result | BaseException:
    """Call a plain reconcile in a thread and return what came of it."""
    run = contextvars.copy_context().run
    future = asyncio.get_running_loop().run_in_executor(threads, run, _called, call, context, request)
    try:
        done, _ = await asyncio.wait((future,), timeout=timeout)
        if done:
            return future.result()
        error = _too_long(request, timeout)
        host.end(str(error))
        await asyncio.wait((future,))
        return error
    finally:
        host.end(f"{request}: this reconcile has ended, and its client with it")


def _called(call: Callable[[C, Request], Result | None], context: C, request: Request) -> Result | Exception:
    try:
        return checked_result(call(context, request))
    except Exception as error:  # noqa: BLE001 - the author's code; as a value, since a future refuses some errors
        return error


def _being_cancelled() -> bool:
    """Whether the worker is: nothing but its controller cancels it, since reconciles have tasks of their own."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _too_long(request: Request, timeout: float | None) -> ReconcileTimeout:
    return ReconcileTimeout(
        f"{request}: the reconcile took longer than {timeout:g} s; find what it waits for, or raise reconcile_timeout"
    )


def _caused(error: KonvergeError, cause: BaseException) -> KonvergeError:
    error.__cause__ = cause
    return error
